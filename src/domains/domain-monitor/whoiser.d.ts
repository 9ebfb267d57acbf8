/** The parser of the library alone; it dials with a client of its own otherwise. */
declare module 'whoiser/src/parsers.js' {
  export function parseDomainWhois(
    domain: string,
    whois: string,
    ignorePrivacy: boolean,
  ): Record<string, string | string[]>;
}
