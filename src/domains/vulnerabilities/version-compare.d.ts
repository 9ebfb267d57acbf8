declare module 'locutus/php/info/version_compare.js' {
  /** As PHP's function of this name, but for trailing zeros, which do not count. */
  export default function versionCompare(one: string, other: string): -1 | 0 | 1;
}
