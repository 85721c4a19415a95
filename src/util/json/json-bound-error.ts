/** JSON text with more in it than is allowed. The message continues after a name: `has more than 9 values`. */
export class JsonBoundError extends SyntaxError {
  override readonly name = 'JsonBoundError'
}
