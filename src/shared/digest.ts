import { hash } from 'node:crypto';

/** Returns the first 132 bits of the SHA-256 hash as 22 characters that are valid in HTTP headers and database keys. */
export const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);
