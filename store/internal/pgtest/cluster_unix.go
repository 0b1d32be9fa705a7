//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A cluster is a folder:
//
//	lock     held alone by who starts or stops the server
//	users    held together by all who use it
//	data     of the server, with postmaster.pid
//	log      what the server said
type cluster struct {
	dir     string
	run     *syscall.Credential // the server refuses to be root. Nil: as we are
	durable bool
}

// watchEnv names the folder to the process that watches over it.
const watchEnv = "HELVE_PGTEST_WATCH"

// watcher is the process that stops the server when this one is over. It is a
// process of its own, so that a test that panics or is killed leaves nothing running.
var watcher struct {
	cmd  *exec.Cmd
	life io.Closer // a pipe that ends with us
}

// acquire starts the server where it does not run yet, and returns its URL.
func acquire(durable bool) (*url.URL, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	bin, err := programs(ctx)
	if err != nil {
		return nil, err
	}
	c := &cluster{dir: filepath.Join(os.TempDir(), "helve-postgres-"+strconv.Itoa(os.Getuid())), durable: durable}
	if durable {
		c.dir += "-durable"
	}
	if os.Getuid() == 0 {
		if c.run, err = postgresUser(); err != nil {
			return nil, err
		}
	}
	if err := c.makeDir(); err != nil {
		return nil, err
	}
	if err := c.startWatcher(); err != nil {
		return nil, fmt.Errorf("start what stops the server: %w", err)
	}
	lock, err := hold(filepath.Join(c.dir, "lock"), syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	port, err := c.start(ctx, bin)
	if err != nil {
		return nil, err
	}
	return &url.URL{Scheme: "postgres", User: url.User("helve"), Host: net.JoinHostPort("127.0.0.1", port), Path: "/postgres", RawQuery: "sslmode=disable"}, nil
}

// makeDir makes the folder, which nobody else may have prepared for us.
func (c *cluster) makeDir() error {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return err
	}
	info, err := os.Lstat(c.dir)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(st.Uid) != os.Getuid() || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("the folder %s is not ours alone: remove it", c.dir)
	}
	return nil
}

// programs returns the folder of the server's programs.
func programs(ctx context.Context) (string, error) {
	if dir := findPrograms(); dir != "" {
		return dir, nil
	}
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		return "", errors.New("initdb is neither below /usr/lib/postgresql nor in the PATH: install the server of PostgreSQL")
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return "", errors.New("initdb is neither below /usr/lib/postgresql nor in the PATH, and there is no apt-get to install it")
	}
	// The package would make a cluster of its own and start it.
	const settings = "/etc/postgresql-common/createcluster.conf"
	if _, err := os.Stat(settings); err != nil {
		if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(settings, []byte("create_main_cluster = false\n"), 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"update", "-q"}, {"install", "-yq", "--no-install-recommends", "postgresql"}} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("apt-get %s: %w\n%s", args[0], err, out)
		}
	}
	if dir := findPrograms(); dir != "" {
		return dir, nil
	}
	return "", errors.New("apt-get installed PostgreSQL, but there is no initdb below /usr/lib/postgresql")
}

// findPrograms returns the newest version's folder, or "".
func findPrograms() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is right
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	if len(found) > 0 {
		return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }))
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	return ""
}

func postgresUser() (*syscall.Credential, error) {
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("the server does not run as root: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

const settings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 64MB
max_connections = 200
timezone = 'Pacific/Kiritimati'
`

// forgetful makes the server fast.
const forgetful = `
fsync = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
autovacuum = off
`

// start returns the port of the server.
func (c *cluster) start(ctx context.Context, bin string) (string, error) {
	data := filepath.Join(c.dir, "data")
	if pid, port := c.running(); pid != 0 {
		return port, nil
	}
	home := filepath.Join(c.dir, "home")
	if err := os.RemoveAll(data); err != nil { // of one that was killed
		return "", err
	}
	for _, dir := range []string{home, data} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", err
		}
		if c.run != nil {
			if err := os.Chown(dir, int(c.run.Uid), int(c.run.Gid)); err != nil {
				return "", err
			}
		}
	}
	if err := c.command(ctx, filepath.Join(bin, "initdb"), "-D", data, "-U", "helve", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"); err != nil {
		return "", err
	}
	f, err := os.OpenFile(filepath.Join(data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(settings)
	if err == nil && !c.durable {
		_, err = f.WriteString(forgetful)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	free, err := freePort()
	if err != nil {
		return "", err
	}
	if err := c.command(ctx, filepath.Join(bin, "pg_ctl"), "-D", data, "-s", "-w", "-t", "60", "-l", filepath.Join(home, "log"), "-o", "-p "+free, "start"); err != nil {
		return "", err
	}
	pid, port := c.running()
	if pid == 0 {
		return "", errors.New("the server was started and is gone")
	}
	return port, nil
}

func (c *cluster) command(ctx context.Context, name string, args ...string) error {
	out, err := os.CreateTemp("", "helve-postgres-*.out") // a pipe would be held open by the server
	if err != nil {
		return err
	}
	defer func() { _ = out.Close(); _ = os.Remove(out.Name()) }()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Join(c.dir, "home")
	cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TMPDIR=" + os.TempDir()}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.run, Setsid: true} // Ctrl-C is not for it
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(out.Name())
		log, _ := os.ReadFile(filepath.Join(cmd.Dir, "log"))
		return fmt.Errorf("%s: %w\n%s%s", filepath.Base(name), err, text, log[max(0, len(log)-2000):])
	}
	return nil
}

// running returns the server's process and port, or zero. The process must be
// this very server: a number may belong to another by now, or to a zombie.
func (c *cluster) running() (pid int, port string) {
	data := filepath.Join(c.dir, "data")
	raw, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, ""
	}
	lines := strings.Split(string(raw), "\n")
	if len(lines) < 4 {
		return 0, ""
	}
	pid, err = strconv.Atoi(lines[0])
	if err != nil || !isServer(pid, data) {
		return 0, ""
	}
	return pid, lines[3]
}

func isServer(pid int, data string) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil && runtime.GOOS != "linux" {
		raw, err = exec.CommandContext(context.Background(), "ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	}
	args := strings.ReplaceAll(string(raw), "\x00", " ")
	return err == nil && strings.Contains(args+" ", "-D "+data+" ")
}

func freePort() (string, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// hold opens a file and locks it; closing it unlocks.
func hold(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// startWatcher runs this program once more, as the watcher, and waits until it
// counts as a user of the server.
func (c *cluster) startWatcher() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), self)
	cmd.Env = append(os.Environ(), watchEnv+"="+c.dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Ctrl-C is not for it
	life, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	ready, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := io.ReadFull(ready, make([]byte, 1)); err != nil {
		return errors.Join(fmt.Errorf("it ended: %w", err), cmd.Wait())
	}
	watcher.cmd, watcher.life = cmd, life
	return nil
}

// release ends the use of the server and waits until it is stopped, if nobody
// else uses it.
func release() {
	if watcher.cmd != nil {
		_ = watcher.life.Close()
		_ = watcher.cmd.Wait()
	}
}

// watch is the watcher: a user of the server until its standard input ends. The
// last user stops the server.
func watch(dir string) {
	users, err := hold(filepath.Join(dir, "users"), syscall.LOCK_SH)
	if err != nil {
		return
	}
	_, _ = os.Stdout.Write([]byte{'\n'})
	_, _ = io.Copy(io.Discard, os.Stdin)
	lock, err := hold(filepath.Join(dir, "lock"), syscall.LOCK_EX)
	if err != nil {
		return
	}
	defer lock.Close()
	if syscall.Flock(int(users.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return // there are others
	}
	c := &cluster{dir: dir}
	if pid, _ := c.running(); pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGQUIT) // at once: nothing of it is needed again
	}
	for range 200 {
		if pid, _ := c.running(); pid == 0 {
			_ = os.RemoveAll(filepath.Join(dir, "data"))
			return
		}
		<-time.After(50 * time.Millisecond)
	}
}
