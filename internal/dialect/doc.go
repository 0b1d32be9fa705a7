// Package dialect holds independent checks of tool schemas for the dialects of the model providers. They are written from the
// facts about the providers, share no code with the lowering that they judge, and are meant for tests only.
//
// The facts are those of the vendors' pages: Anthropic "Structured outputs: JSON Schema limitations", OpenAI "Structured outputs:
// Supported schemas", the comments on FunctionDeclaration and ResponseJsonSchema in Google's genai SDK, and the Model Context
// Protocol's schema of Tool.
package dialect
