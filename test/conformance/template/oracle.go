//go:build ignore

// Command oracle runs Go's own text/template and says what it did.
//
// It reads one JSON request per line from standard input and answers one JSON line each, so that one process
// serves the expectations of the conformance cases and the differential fuzzer. Its first line is {"go": version}.
// Only the standard library is used. The expectations in the repository were written by Go 1.24.4; the messages of
// other releases differ in places.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"
)

type request struct {
	Name       string          `json:"name"`
	Template   string          `json:"template"`
	Template64 string          `json:"template64"`
	Data       json.RawMessage `json:"data"`
	MissingKey string          `json:"missingKey"`
	Delimiters []string        `json:"delimiters"`
	Print      bool            `json:"print"`
}

// answer has one kind: ok, exec, parse, panic (Go itself panicked) or endless (stopped after a while).
// A text that is not UTF-8 is given in base64 under the name with 64.
type answer struct {
	Kind     string `json:"kind"`
	Output   string `json:"output,omitempty"`
	Output64 string `json:"output64,omitempty"`
	Error    string `json:"error,omitempty"`
	Error64  string `json:"error64,omitempty"`
	Printed  string `json:"printed,omitempty"`
}

const (
	maxOutput = 1 << 20
	patience  = 5 * time.Second
)

func main() {
	writer := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	say := func(value any) {
		if err := encoder.Encode(value); err != nil {
			panic(err)
		}
		writer.Flush()
	}
	say(map[string]string{"go": strings.TrimPrefix(runtime.Version(), "go")})
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var r request
		if err := json.Unmarshal(scanner.Bytes(), &r); err != nil {
			say(answer{Kind: "request", Error: err.Error()})
			continue
		}
		say(run(r))
	}
}

// run never hangs: a template that does not end is left behind and its output refuses to grow.
func run(r request) answer {
	stop := make(chan struct{})
	done := make(chan answer, 1)
	go func() { done <- observe(r, stop) }()
	select {
	case a := <-done:
		return a
	case <-time.After(patience):
		close(stop)
		return answer{Kind: "endless"}
	}
}

func observe(r request, stop chan struct{}) (a answer) {
	output := &boundedWriter{stop: stop}
	defer func() {
		if p := recover(); p != nil {
			a = answer{Kind: "panic", Error: fmt.Sprint(p)}
		}
	}()
	text := r.Template
	if r.Template64 != "" {
		raw, err := base64.StdEncoding.DecodeString(r.Template64)
		if err != nil {
			return answer{Kind: "request", Error: err.Error()}
		}
		text = string(raw)
	}
	data, err := decode(r.Data)
	if err != nil {
		return answer{Kind: "request", Error: err.Error()}
	}
	t := template.New(orDefault(r.Name, "t")).Funcs(functions)
	if len(r.Delimiters) == 2 {
		t.Delims(r.Delimiters[0], r.Delimiters[1])
	}
	if _, err := t.Parse(text); err != nil {
		return withError(answer{Kind: "parse"}, err)
	}
	t.Option("missingkey=" + orDefault(r.MissingKey, "default"))
	err = t.Execute(output, data)
	if output.overflow {
		return answer{Kind: "endless"}
	}
	a = withOutput(answer{Kind: "ok"}, output.Bytes())
	if err != nil {
		a.Kind = "exec"
		a = withError(a, err)
	}
	if r.Print && t.Tree != nil {
		a.Printed = t.Tree.Root.String()
	}
	return a
}

type boundedWriter struct {
	bytes.Buffer
	stop     chan struct{}
	overflow bool
}

func (w *boundedWriter) Write(p []byte) (int, error) {
	select {
	case <-w.stop:
		w.overflow = true
	default:
	}
	if w.Len()+len(p) > maxOutput {
		w.overflow = true
	}
	if w.overflow {
		return 0, errors.New("oracle: too much output")
	}
	return w.Buffer.Write(p)
}

func orDefault(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

func withOutput(a answer, output []byte) answer {
	if utf8.Valid(output) {
		a.Output = string(output)
	} else {
		a.Output64 = base64.StdEncoding.EncodeToString(output)
	}
	return a
}

func withError(a answer, err error) answer {
	if text := err.Error(); utf8.ValidString(text) {
		a.Error = text
	} else {
		a.Error64 = base64.StdEncoding.EncodeToString([]byte(text))
	}
	return a
}

// decode reads JSON as the engine under test does: an integral number that fits int64 is an int,
// any other number a float64.
func decode(raw json.RawMessage) (any, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return withNumbers(value)
}

func withNumbers(value any) (any, error) {
	var err error
	switch value := value.(type) {
	case json.Number:
		return number(string(value))
	case []any:
		// The capacity that decoding happens to leave would show in the slice function.
		value = slices.Clip(value)
		for i := range value {
			if value[i], err = withNumbers(value[i]); err != nil {
				return nil, err
			}
		}
		return value, nil
	case map[string]any:
		for key := range value {
			if value[key], err = withNumbers(value[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

func number(text string) (any, error) {
	if integer, err := strconv.ParseInt(text, 10, 64); err == nil {
		return int(integer), nil
	}
	float, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, err
	}
	if float == math.Trunc(float) && float >= -(1<<63) && float < 1<<63 {
		return int(float), nil
	}
	return float, nil
}

// functions have declared signatures of every kind; functions.mjs has the same for the engine under test.
var functions = template.FuncMap{
	"add":     func(a, b int) int { return a + b },
	"sum":     func(numbers ...int) int { return total(numbers) },
	"addf":    func(a, b float64) float64 { return a + b },
	"half":    func(a float64) float64 { return a / 2 },
	"wide":    func(a int64) int64 { return a },
	"upper":   strings.ToUpper,
	"concat":  func(texts ...string) string { return strings.Join(texts, "") },
	"repeat":  func(count int, text string) string { return strings.Repeat(text, max(0, min(count, 100))) },
	"both":    func(a, b bool) bool { return a && b },
	"echo":    func(value any) any { return value },
	"list":    func(values ...any) []any { return values },
	"kind":    func(value any) string { return fmt.Sprintf("%T", value) },
	"kinds":   func(values ...any) string { return kinds(values) },
	"count":   func(values []any) int { return len(values) },
	"words":   func(text string) []string { return strings.Fields(text) },
	"glue":    func(separator string, texts []string) string { return strings.Join(texts, separator) },
	"keys":    func(values map[string]any) []string { return sortedKeys(values) },
	"pair":    func(key string, value any) map[string]any { return map[string]any{key: value} },
	"null":    func() any { return nil },
	"answer":  func() int { return 42 },
	"fails":   func(text string) (string, error) { return "", errors.New(text) },
	"logline": func(format string, values ...any) string { return fmt.Sprintf("["+format+"]", values...) },
}

func total(numbers []int) int {
	result := 0
	for _, n := range numbers {
		result += n
	}
	return result
}

func kinds(values []any) string {
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = fmt.Sprintf("%T", value)
	}
	return strings.Join(names, " ")
}

func sortedKeys(values map[string]any) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
