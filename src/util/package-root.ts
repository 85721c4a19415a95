/** The package's own folder, as a URL that ends with a slash: from `src/util`, `dist/util` and `dist/bundle` alike. */
export const PACKAGE_ROOT = new URL('../../', import.meta.url)
