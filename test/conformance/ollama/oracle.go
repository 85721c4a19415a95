// Command oracle renders templates/*.gotmpl with Go's text/template, the way Ollama hands conversations to its templates,
// and writes one JSON line per template and conversation:
//
//	cd test/conformance/ollama && /usr/lib/go-1.23/bin/go run oracle.go > expected.jsonl
//
// The templates are our own, and so are these types: they have the fields, and print the JSON, that Ollama's have.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

type words []string

func (w words) String() string {
	if len(w) < 2 {
		return strings.Join(w, "")
	}
	return fmt.Sprint([]string(w))
}

func (w words) MarshalJSON() ([]byte, error) {
	if len(w) == 1 {
		return json.Marshal(w[0])
	}
	return json.Marshal([]string(w))
}

func (w *words) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = words{one}
		return nil
	}
	var many []string
	err := json.Unmarshal(data, &many)
	*w = many
	return err
}

type property struct {
	AnyOf       []property `json:"anyOf,omitempty"`
	Type        words      `json:"type,omitempty"`
	Items       any        `json:"items,omitempty"`
	Description string     `json:"description,omitempty"`
	Enum        []any      `json:"enum,omitempty"`
}

type parameters struct {
	Type       string              `json:"type"`
	Required   []string            `json:"required,omitempty"`
	Properties map[string]property `json:"properties"`
}

type function struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Parameters  parameters `json:"parameters"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type tools []tool

type arguments map[string]any

type called struct {
	Index     int
	Name      string
	Arguments arguments
}

type toolCall struct {
	ID       string
	Function called
}

type message struct {
	Role, Content, Thinking, ToolName, ToolCallID string
	ToolCalls                                     []toolCall
}

func text(value any) string {
	data, err := json.Marshal(value)
	must(err)
	return string(data)
}

func (f function) String() string   { return text(f) }
func (p parameters) String() string { return text(p) }
func (t tool) String() string       { return text(t) }
func (t tools) String() string      { return text(t) }
func (a arguments) String() string  { return text(a) }

// conversation is a request's, as conversations.json has it.
type conversation struct {
	Name     string `json:"name"`
	Effort   string `json:"effort"`
	Tools    tools  `json:"tools"`
	Messages []struct {
		Role       string `json:"role"`
		Content    string `json:"content"`
		Reasoning  string `json:"reasoning"`
		ToolCallID string `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
}

func (c conversation) read() []*message {
	names := map[string]string{}
	var read []*message
	for _, m := range c.Messages {
		next := &message{Role: m.Role, Content: m.Content, Thinking: m.Reasoning, ToolCallID: m.ToolCallID}
		for index, call := range m.ToolCalls {
			var args arguments
			must(json.Unmarshal([]byte(call.Function.Arguments), &args))
			names[call.ID] = call.Function.Name
			next.ToolCalls = append(next.ToolCalls, toolCall{call.ID, called{index, call.Function.Name, args}})
		}
		if m.Role == "tool" {
			next.ToolName = names[m.ToolCallID]
		}
		// Neighbours of one role are one message, but for the results of tools.
		if last := len(read) - 1; last >= 0 && read[last].Role == m.Role && m.Role != "tool" {
			read[last].Content += "\n\n" + m.Content
		} else {
			read = append(read, next)
		}
	}
	return read
}

func (c conversation) thinking(data map[string]any) map[string]any {
	isOn := c.Effort != "" && c.Effort != "none"
	data["Think"], data["IsThinkSet"], data["ThinkLevel"] = isOn, c.Effort != "", ""
	if isOn {
		data["ThinkLevel"] = c.Effort
	}
	return data
}

func funcs() template.FuncMap {
	return template.FuncMap{
		"json":        func(value any) string { return text(value) },
		"currentDate": func(...string) string { return "2026-03-01" },
	}
}

func compile(source string) *template.Template {
	return template.Must(template.New("").Option("missingkey=zero").Funcs(funcs()).Parse(source))
}

// reads is true if the template has a field of this name anywhere.
func reads(source, name string) bool { return strings.Contains(source, "."+name) }

func render(source string, c conversation) string {
	messages := c.read()
	var out strings.Builder
	if reads(source, "Messages") {
		var system []string
		for _, m := range c.Messages {
			if m.Role == "system" {
				system = append(system, m.Content)
			}
		}
		must(compile(source).Execute(&out, c.thinking(map[string]any{
			"System": strings.Join(system, "\n\n"), "Messages": messages, "Tools": c.Tools, "Response": "",
		})))
		return out.String()
	}
	if !reads(source, "Response") {
		source += "{{ .Response }}"
	}
	// One exchange after the other; the last ends in front of its answer.
	exchange := map[string]any{"System": "", "Prompt": "", "Response": ""}
	flush := func(t *template.Template) {
		must(t.Execute(&out, c.thinking(exchange)))
		exchange = map[string]any{"System": "", "Prompt": "", "Response": ""}
	}
	for _, m := range messages {
		if m.Role == "system" && (exchange["Prompt"] != "" || exchange["Response"] != "") {
			flush(compile(source))
		}
		if m.Role == "user" && exchange["Response"] != "" {
			flush(compile(source))
		}
		if field, ok := map[string]string{"system": "System", "user": "Prompt", "assistant": "Response"}[m.Role]; ok {
			exchange[field] = m.Content
		}
	}
	last := compile(source)
	upToResponse(last.Root)
	flush(last)
	return out.String()
}

// upToResponse leaves nothing of a list behind the action that prints the response; true if it is in the list.
func upToResponse(list *parse.ListNode) bool {
	if list == nil {
		return false
	}
	for index, node := range list.Nodes {
		isLast := false
		switch node := node.(type) {
		case *parse.ActionNode:
			isLast = slices.ContainsFunc(node.Pipe.Cmds, func(c *parse.CommandNode) bool {
				field, ok := c.Args[0].(*parse.FieldNode)
				return ok && slices.Contains(field.Ident, "Response")
			})
		case *parse.IfNode:
			isLast = upToResponse(node.List)
		}
		if isLast {
			list.Nodes = list.Nodes[:index+1]
			return true
		}
	}
	return false
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	var conversations []conversation
	data, err := os.ReadFile("conversations.json")
	must(err)
	must(json.Unmarshal(data, &conversations))
	files, err := filepath.Glob("templates/*.gotmpl")
	must(err)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, file := range files {
		source, err := os.ReadFile(file)
		must(err)
		for _, c := range conversations {
			must(out.Encode(map[string]string{
				"template": filepath.Base(file), "conversation": c.Name, "output": render(string(source), c),
			}))
		}
	}
}
