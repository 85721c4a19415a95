//go:build ignore

// The same prompts in real Go. Reads one JSON request per line: first the prompts with their data, then what to
// measure; answers the nanoseconds per operation, or the output.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"syscall"
	"text/template"
	"time"
)

type request struct {
	Name       string
	Source     string
	Data       json.RawMessage
	Do         string
	Iterations int
	CPU        bool
}

type prompt struct {
	source   string
	compiled *template.Template
	data     any
}

func main() {
	prompts := map[string]prompt{}
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Buffer(nil, 16<<20)
	for scanner.Scan() {
		var r request
		must(json.Unmarshal(scanner.Bytes(), &r))
		p := prompts[r.Name]
		switch r.Do {
		case "load":
			prompts[r.Name] = prompt{r.Source, parse(r.Source), decode(r.Data)}
			answer(map[string]any{"version": runtime.Version()})
		case "output":
			answer(map[string]any{"output": string(render(p))})
		default:
			answer(map[string]any{"nanoseconds": measure(r, p)})
		}
	}
}

var sink int

func measure(r request, p prompt) float64 {
	var buffer bytes.Buffer
	start := clock(r.CPU)
	for i := 0; i < r.Iterations; i++ {
		switch r.Do {
		case "bytes":
			buffer.Reset()
			must(p.compiled.Execute(&buffer, p.data))
			sink += buffer.Len()
		case "string":
			buffer.Reset()
			must(p.compiled.Execute(&buffer, p.data))
			sink += len(buffer.String())
		case "compile":
			buffer.Reset()
			must(parse(p.source).Execute(&buffer, p.data))
			sink += buffer.Len()
		}
	}
	return float64(clock(r.CPU)-start) / float64(r.Iterations)
}

// clock gives nanoseconds on the wall or of this process's processor time.
func clock(cpu bool) int64 {
	if !cpu {
		return time.Now().UnixNano()
	}
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func parse(source string) *template.Template {
	return template.Must(template.New("t").Parse(source))
}

func render(p prompt) []byte {
	var buffer bytes.Buffer
	must(p.compiled.Execute(&buffer, p.data))
	return buffer.Bytes()
}

// decode reads integral numbers as int, as the engine does.
func decode(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	must(decoder.Decode(&value))
	return withInts(value)
}

func withInts(value any) any {
	switch value := value.(type) {
	case json.Number:
		if integer, err := value.Int64(); err == nil {
			return int(integer)
		}
		float, err := value.Float64()
		must(err)
		return float
	case []any:
		for i := range value {
			value[i] = withInts(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = withInts(value[key])
		}
	}
	return value
}

func answer(value any) {
	must(json.NewEncoder(os.Stdout).Encode(value))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
