// Command oracle renders rows.txt with text/template and Sprig's functions and writes one JSON line per row.
// Debian's golang-github-masterminds-sprig-dev has the sources:
//
//	cd test/conformance/library && GOPATH=/usr/share/gocode GO111MODULE=off \
//	  /usr/lib/go-1.24/bin/go run oracle.go > expected.jsonl
package main

import (
	"bufio"
	"bytes"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"text/template"
	"time"
	"unicode/utf8"

	"github.com/Masterminds/sprig"
)

type row struct {
	Template string `json:"template"`
	Output   string `json:"output"`
	// Hex replaces Output where that is not valid UTF-8.
	Hex   string `json:"hex,omitempty"`
	Error string `json:"error,omitempty"`
}

func main() {
	time.Local = time.UTC
	data := readData()
	functions := functionMap()
	rows, err := os.Open("rows.txt")
	check(err)
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	lines := bufio.NewScanner(rows)
	for lines.Scan() {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		check(encoder.Encode(render(line, functions, data)))
	}
	check(lines.Err())
}

// functionMap is Sprig's, with Go's own slice, which ours does not replace, and with what Helm and later Sprigs add.
func functionMap() template.FuncMap {
	functions := sprig.TxtFuncMap()
	delete(functions, "slice")
	functions["required"] = func(message string, value any) (any, error) {
		if value == nil || value == "" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	functions["sha512sum"] = func(text string) string {
		sum := sha512.Sum512([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	return functions
}

func render(text string, functions template.FuncMap, data any) row {
	result := row{Template: text}
	parsed, err := template.New("t").Funcs(functions).Parse(text)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	var output bytes.Buffer
	if err := parsed.Execute(&output, data); err != nil {
		result.Error = err.Error()
	}
	if utf8.Valid(output.Bytes()) {
		result.Output = output.String()
	} else {
		result.Hex = hex.EncodeToString(output.Bytes())
	}
	return result
}

// readData reads data.json with integral numbers as int.
func readData() any {
	text, err := os.ReadFile("data.json")
	check(err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var data any
	check(decoder.Decode(&data))
	return convert(data)
}

func convert(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, err := v.Float64()
		check(err)
		if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			return int(f)
		}
		return f
	case []any:
		for i := range v {
			v[i] = convert(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = convert(v[key])
		}
	}
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
