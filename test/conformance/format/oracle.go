// Command oracle writes what Go's fmt, text/template's escapers and strconv print, one JSON row per line:
// [operation, format or "", arguments, expected]. Strings that are not valid UTF-8 are {"bytes": hex}.
//
//	/usr/lib/go-1.24/bin/go run test/conformance/format/oracle.go > test/conformance/format/expected.jsonl
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"os"
	"strconv"
	"text/template"
	"unicode/utf8"
)

type list = []any
type dict = map[string]any

var out = bufio.NewWriter(os.Stdout)

// One cell of the matrix in stride is kept; no factor of its sides, so that every pair of them occurs.
const stride = 5

var verbs = []string{"v", "d", "s", "q", "x", "X", "o", "O", "b", "c", "U", "e", "E", "f", "F", "g", "G", "t", "T", "z", "w", "%"}

var flags = []string{
	"", "+", "-", "#", " ", "0", "8", "-8", "08", "+08", "-08", ".3", "8.3", "-8.3", "08.3", "+.2", "#.3",
	"# ", "+#", ".0", "08.", " 8", "#8", "+#.4", "# 12", ".20", "20.12",
}

var scalars = []any{
	0, 1, -1, 42, -42, 255, 65, 0x1F600, 0xD800, 0x110000, math.MaxInt64, math.MinInt64, 1 << 62,
	0.0, math.Copysign(0, -1), 1.0, -2.5, 0.1, 100000.0, 1e6, 1234567.5, 1e21, 5e-324, math.MaxFloat64,
	math.Inf(1), math.Inf(-1), math.NaN(), 123456.789, 1e-5, 0.00012345,
	"", "a", "héllo", "日本語", "tab\t\"q\" `b` \\ \n", "\xc3", "ok\xffé", "\u00ad\ufeff\u200b", "😀", "a b",
	true, false, nil,
	uint8(195), int64(-7), uint64(math.MaxUint64), float32(0.1), float32(16777216),
	complex(1, -2), complex(0, 0), complex(1.5, math.Inf(1)), complex(math.NaN(), 1e21), complex(123456.789, 1e-7),
}

var composites = []any{
	list{}, list{1, "x", nil, 2.5, true}, dict{}, dict{"b": 1, "a": list{}, "～": nil, "😀": "e"},
	list{list{nil}, dict{"k": 1.5}}, []string{"a", "b c"}, []int{1, -2}, map[string]string{"k": "v"},
	dict{"10": -1, "9": "", "": 0.5},
}

var shapes = []string{"", "+", "#", "6", "-6", "06", ".1", "#.2", "+8.3", "x", " "}

var special = []struct {
	format string
	args   list
}{
	{"", list{}}, {"plain", list{}}, {"plain", list{1}}, {"%", list{}}, {"%", list{1}}, {"100%", list{1}}, {"%!", list{}},
	{"%!", list{1}}, {"%d", list{}}, {"%d %d", list{1}}, {"%d", list{1, 2, "x", nil}}, {"%%", list{}}, {"%5%|%-5%|%+%", list{}},
	{"%-", list{1}}, {"%5", list{1}}, {"%.", list{1}}, {"%5.", list{1}}, {"%.d", list{0}}, {"%.d", list{7}}, {"%é", list{1}},
	{"%日本", list{1}}, {"%\xff", list{1}}, {"%", list{}}, {"%z %z", list{nil, 1}}, {"%v %s", list{nil, nil}},
	{"%*d", list{5, 42}}, {"%-*d|", list{5, 42}}, {"%*d|", list{-5, 42}}, {"%0*d|", list{-5, 42}}, {"%*d", list{"a", 42}},
	{"%*d", list{}}, {"%*d", list{5}}, {"%.*f", list{2, 3.14159}}, {"%.*f", list{-1, 3.14159}}, {"%.*f", list{"x", 3.14159}},
	{"%*.*f|", list{8, 2, 3.14159}}, {"%*d", list{1000001, 1}}, {"%*d", list{-1000001, 1}}, {"%.*d", list{1000001, 1}},
	{"%*d", list{uint8(4), 1}}, {"%*d", list{2.0, 1}}, {"%*d", list{nil, 1}}, {"%.*s|", list{2, "héllo"}},
	{"%[2]d %[1]d", list{1, 2}}, {"%[2]d %d", list{1, 2}}, {"%[2]d %[1]d %d", list{1, 2}}, {"%[5]d", list{1}}, {"%[0]d", list{1}},
	{"%[-1]d", list{1}}, {"%[x]d", list{1}}, {"%[1]", list{1}}, {"%[", list{1}}, {"%[1", list{1}}, {"%[]d", list{1}}, {"%[3", list{1}},
	{"%[1]d", list{1, 2}}, {"%[1]d %[1]v", list{1, 2}}, {"%[3]*.[2]*[1]f|", list{12.0, 2, 6}}, {"%6.2f", list{12.0}},
	{"%[2]*d", list{1, 5}}, {"%[2]*[1]d", list{1, 5}}, {"%[3]2d", list{1, 2, 3}}, {"%[3].2d", list{1, 2, 3}}, {"%2[3]d", list{1, 2, 3}},
	{"%.[2]d", list{1, 2}}, {"%.[2]*d", list{7, 3, 5}}, {"%[2]*.[1]*f", list{2, 5, 3.5}}, {"%[1]*d %d", list{4, 5}}, {"%[1000000000]d", list{1}},
	{"%[2]%", list{1}}, {"%[9]%", list{1}}, {"%[1]s %[1]q %[1]x", list{"hi"}}, {"%s %[2]s %s", list{"a", "b", "c"}},
	{"%10000010d", list{1}}, {"%999999999d", list{1}}, {"%.999999999d", list{1}}, {"%d %999999999d %d", list{1, 2, 3}},
	{"%-010d|", list{5}}, {"%+-5d|% d|%+ d", list{5, 5, 5}}, {"%x %X %#x %# x", list{"hello", "hello", "hello", "hello"}},
	{"%t %t", list{true, 1}}, {"%p %p", list{1, "x"}}, {"%q %+q %#q %#+q", list{"é`", "é", "a", "é"}}, {"%#U %#U", list{0x1F600, 7}},
	{"%6.3v|%-6v|%06v", list{"abcdef", true, "x"}}, {"%3c|%-3c|%03c", list{'x', 'y', 'z'}}, {"%s", list{list{"a", 1}}},
	{"%v %v", list{list{nil}, dict{"a": nil}}}, {"%d", list{list{"a", 1, nil}}}, {"%q", list{list{"a", 1, nil, dict{"k": "v"}}}},
	{"%x", list{list{"ab", 255, 1.5}}}, {"%T %T %T %T", list{nil, list{}, dict{}, 1.0}}, {"%20T|%-20T|%.3T", list{1, "x", 1.5}},
	{"%w", list{1}}, {"%w", list{list{1}}}, {"%w", list{dict{}}}, {"%w", list{"x"}}, {"%+w", list{1}}, {"%v%v", list{"a"}},
	{"%5v|%-5v|%05v", list{list{1, 2}, list{1, 2}, list{1, -2}}}, {"%+v %#v", list{dict{"a": "b"}, dict{"a": "b"}}},
	{"%#v %#v %#v", list{1.0, 1e6, 1e21}}, {"%#v %#v", list{uint8(5), []string{"a"}}}, {"%#v", list{list{uint8(5), int64(3)}}},
	{"%s and %d%%", list{"x", 3}}, {"%[1]*[2]*d", list{1, 2}}, {"%.[1]*d %d", list{1, 2}}, {"%.3[2]d", list{1, 2}}, {"%..d", list{1}},
	{"%1.1.1d", list{1}}, {"%+.3e|%+.3x|%+.3b", list{12.5, 12.5, 12.5}}, {"%#.3x|%#x|%#g|%#.0f|%#e|%#X", list{1.5, 1.0, 1.0, 1.0, 1.0, 1.0}},
	{"%#g|%#.3g|%#.10g|%#g", list{0.0, 0.001, 100.0, 1e-7}}, {"%010.3f|%+010.3f|%-10.3f|% 010.3f", list{-1.5, 1.5, 1.5, 1.5}},
	{"%08v|%+08v|% 08v|%-08v|", list{math.Inf(1), math.Inf(1), math.NaN(), math.Inf(-1)}}, {"%6q|%-6q|%06q", list{'a', 'b', 'c'}},
}

var texts = []string{
	"", "plain", "<a href=\"x\">'&'</a>", "\x00", "a=b&c=d e+f", "\\ ' \" < > & =", "\t\n\r\x01\x7f", "é日本😀", "\u00ad\ufeff\u2028\u2029\U0002ebf0\u1c89",
	"\xff\xc3", "~-_.!*'()", "100%", "\u0378\U000e0001",
}

func main() {
	defer out.Flush()
	cell := 0
	for _, value := range scalars {
		for _, flag := range flags {
			for _, verb := range verbs {
				if cell++; cell%stride == 0 {
					printf("%"+flag+verb, value)
				}
			}
		}
	}
	for _, value := range composites {
		for _, shape := range shapes {
			for _, verb := range verbs {
				printf("%"+shape+verb, value)
			}
		}
	}
	for _, row := range special {
		printf(row.format, row.args...)
	}
	floats()
	prints()
	escapes()
}

func floats() {
	random := rand.New(rand.NewSource(1))
	forms := []string{"%v", "%e", "%.0e", "%.3e", "%.17e", "%.25g", "%f", "%.0f", "%.1f", "%.2f", "%.30f", "%g", "%.1g", "%.3g", "%.10g", "%x", "%.2x", "%b", "%.0g", "%G"}
	for i := 0; i < 150; i++ {
		var value float64
		switch i % 5 {
		case 0:
			value = math.Float64frombits(random.Uint64())
		case 1:
			value = float64(random.Intn(2000)-1000) / 8
		case 2:
			value = float64(random.Intn(100000)) / 1000
		case 3:
			value = math.Ldexp(float64(random.Intn(1000)), random.Intn(160)-80)
		default:
			value = random.NormFloat64() * math.Pow(10, float64(random.Intn(30)-10))
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			continue
		}
		for _, form := range forms {
			printf(form, value)
		}
	}
}

func prints() {
	rows := []list{{}, {1, 2}, {1, "a", 2, 3, "b", "c", nil, nil}, {nil}, {list{1}, dict{}, true, false, "x", 1.5, 1.0}, {"a", "b"}, {uint8(1), int64(2)}}
	for _, row := range rows {
		emit("sprint", "", row, fmt.Sprint(row...))
		emit("sprintln", "", row, fmt.Sprintln(row...))
	}
	for _, value := range append(append(list{}, scalars...), composites...) {
		emit("sprint", "", list{value}, fmt.Sprint(value))
	}
}

func escapes() {
	for _, text := range texts {
		emit("html", "", list{text}, template.HTMLEscaper(text))
		emit("js", "", list{text}, template.JSEscaper(text))
		emit("urlquery", "", list{text}, template.URLQueryEscaper(text))
	}
	for _, row := range []list{{1, 2, "a b", "c"}, {nil}, {list{"<", nil}, dict{"k": 1.5}}, {"<", nil, ">"}, {}} {
		emit("html", "", row, template.HTMLEscaper(append(list{}, row...)...))
		emit("js", "", row, template.JSEscaper(append(list{}, row...)...))
		emit("urlquery", "", row, template.URLQueryEscaper(append(list{}, row...)...))
	}
}

func printf(format string, args ...any) {
	emit("sprintf", format, args, fmt.Sprintf(format, args...))
}

func emit(operation, format string, args list, expected string) {
	encoded := make(list, len(args))
	for i, arg := range args {
		encoded[i] = encode(arg)
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(list{operation, encode(format), encoded, encode(expected)}); err != nil {
		panic(err)
	}
}

// encode writes a value so that its Go type can be read back: plain JSON for string, bool, nil and small int.
func encode(value any) any {
	switch v := value.(type) {
	case string:
		if utf8.ValidString(v) {
			return v
		}
		return dict{"bytes": hex.EncodeToString([]byte(v))}
	case int:
		if v > 1<<53 || v < -(1<<53) {
			return dict{"int": strconv.Itoa(v)}
		}
		return v
	case int32:
		return dict{"int32": fmt.Sprint(v)}
	case uint8, int64, uint64, float32:
		return dict{fmt.Sprintf("%T", v): fmt.Sprint(v)}
	case float64:
		return dict{"float64": strconv.FormatFloat(v, 'g', -1, 64)}
	case complex128:
		return dict{"complex128": list{encode(real(v)), encode(imag(v))}}
	case []string, []int, map[string]string:
		return dict{fmt.Sprintf("%T", v): v}
	case list:
		items := make(list, len(v))
		for i, item := range v {
			items[i] = encode(item)
		}
		return items
	case dict:
		entries := dict{}
		for key, item := range v {
			entries[key] = encode(item)
		}
		return dict{"map": entries}
	}
	return value
}
