#!/usr/bin/env bash
# Shows what a release needs: make release VERSION=v0.1.0
#
# A module of this repository finds its neighbours through replace directives,
# which `go install pkg@version` refuses. This script takes them out, in a
# worktree of its own made from HEAD: your files, your branches and the remote
# stay as they are. It leaves a patch for each module and prints the commands
# that a person then runs. It publishes nothing.
#
# The root has to be published before the modules that require it, because their
# go.sum needs its checksum.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
version=${1:-}
if ! printf '%s' "$version" | grep -Eq '^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$'; then
	echo "usage: make release VERSION=v0.1.0" >&2
	exit 2
fi
git rev-parse -q --verify HEAD >/dev/null || { echo "nothing is committed yet" >&2; exit 1; }
if git rev-parse -q --verify "refs/tags/$version" >/dev/null; then
	echo "$version is tagged already" >&2
	exit 1
fi
[ -z "$(git status --porcelain)" ] || echo "note: uncommitted changes are not part of the release"
grep -q "^## .*${version#v}" CHANGELOG.md || echo "note: CHANGELOG.md has no section for ${version#v} yet"

out=$root/dist/$version
mkdir -p "$out"
tree=$(mktemp -d)
trap 'git -C "$root" worktree remove --force "$tree" >/dev/null 2>&1 || rm -rf "$tree"' EXIT
git worktree add -q --detach "$tree" HEAD
cd "$tree"

# ours prints the modules of this repository in one section of a go.mod file:
# Require or Replace.
ours() {
	go mod edit -json | tr -d ' \t\n' | sed -n "s/.*\"$1\":\[\(.*\)/\1/p" | sed 's/\].*//' |
		grep -o '"Path":"helve\.dev/helve[^"]*"' | sed 's/"Path":"\(.*\)"/\1/' | sort -u || true
}

tags=$version
for dir in $(go work edit -json | sed -n 's/.*"DiskPath": "\(.*\)".*/\1/p'); do
	dir=${dir#./}
	[ "$dir" != . ] || continue
	(
		cd "$dir"
		for path in $(ours Replace); do go mod edit -dropreplace="$path"; done
		for path in $(ours Require); do go mod edit -require="$path@$version"; done
		if go mod edit -json | tr -d ' \t\n' | grep -q '"Replace":\[{'; then
			echo "$dir/go.mod still replaces something; a release must not" >&2
			exit 1
		fi
	)
	patch=$out/$(echo "$dir" | tr / -).patch
	git diff -- "$dir" >"$patch"
	echo "== $dir"
	cat "$patch"
	tags="$tags $dir/$version"
done

cat <<EOF

Patches are in ${out#"$root"/}. Tags of this release: $tags

  1. make test && make vuln && make api, and write the changelog
  2. git tag $version && git push origin $version
  3. git switch -c release-$version && git apply ${out#"$root"/}/*.patch
     (it stays a branch: main keeps the replace directives)
  4. in each of these modules: GOWORK=off go mod tidy && GOWORK=off go build ./...
  5. git commit -a -m "release $version", tag each module as above, push the tags
EOF
