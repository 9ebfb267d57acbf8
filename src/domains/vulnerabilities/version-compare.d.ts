declare module 'locutus/php/info/version_compare.js' {
  /** Works like PHP's `version_compare`, except that trailing zeros do not count. */
  export default function versionCompare(one: string, other: string): -1 | 0 | 1;
}
