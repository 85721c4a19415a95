// Package oauth2 has what generated clients name of golang.org/x/oauth2.
package oauth2

import "net/http"

// Token is never made.
type Token struct{}

// SetAuthHeader does nothing.
func (*Token) SetAuthHeader(*http.Request) {}

// TokenSource gives tokens.
type TokenSource interface{ Token() (*Token, error) }
