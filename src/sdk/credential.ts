export type Credential = { key: string | undefined } | { user: string; password: string | undefined };

/**
 * Returns the value of the `Authorization` header. Throws `TypeError` for a value that is not allowed in a header,
 * because the error of `fetch` would contain the credential.
 */
export function credentialHeader(credential: Credential): string {
  if ('key' in credential) {
    if (!/^[\x21-\x7e]+$/.test(credential.key ?? '')) throw new TypeError('The API key is missing or malformed.');
    return `Bearer ${credential.key}`;
  }
  const { user, password } = credential;
  if (!user || !password || user.includes(':')) throw new TypeError('User or password is missing or malformed.');
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)))}`;
}
