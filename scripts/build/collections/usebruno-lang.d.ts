/** The library has no types. These are for the functions that we use. */
declare module '@usebruno/lang' {
  interface Entry {
    name: string;
    value: string;
    enabled: boolean;
  }
  export interface BrunoRequest {
    meta: { name: string; type: 'http'; seq: number };
    http: { method: string; url: string; body: string; auth: string };
    params?: (Entry & { type: 'query' | 'path' })[];
    headers?: Entry[];
    body?: { json?: string; multipartForm?: (Omit<Entry, 'value'> & { type: string; value: string | string[] })[] };
    docs?: string;
  }
  export interface BrunoCollection {
    meta?: { name: string };
    auth?: { mode: string };
    docs?: string;
    [key: string]: unknown;
  }
  export interface BrunoEnvironment {
    variables: (Entry & { secret: boolean })[];
  }
  export function jsonToBruV2(request: BrunoRequest): string;
  export function bruToJsonV2(text: string): BrunoRequest;
  export function jsonToCollectionBru(collection: BrunoCollection): string;
  export function collectionBruToJson(text: string): BrunoCollection;
  export function envJsonToBruV2(environment: BrunoEnvironment): string;
  export function bruToEnvJsonV2(text: string): BrunoEnvironment;
}
