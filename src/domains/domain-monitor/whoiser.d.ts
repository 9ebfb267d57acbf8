/** Only the parser of the library is used. Its client would open connections without `Outbound`. */
declare module 'whoiser/src/parsers.js' {
  export function parseDomainWhois(
    domain: string,
    whois: string,
    ignorePrivacy: boolean,
  ): Record<string, string | string[]>;
}
