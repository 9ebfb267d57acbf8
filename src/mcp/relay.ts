import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  SdkHttpError,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

const SERVICE_FAILED = -32_000;

/**
 * Forwards messages between a client on standard input and output and the service. The service does all the work, so
 * that such a client sees the same behavior as a client that connects over HTTP.
 */
export class Relay {
  readonly #local: StdioServerTransport;
  readonly #remote: StreamableHTTPClientTransport;
  /** Requests that wait for a response. Aborting a request closes its connection. */
  readonly #open = new Map<RequestId, AbortController>();
  readonly #handshakes = new Set<RequestId>();

  constructor(local: StdioServerTransport, remote: StreamableHTTPClientTransport) {
    this.#local = local;
    this.#remote = remote;
  }

  async run(): Promise<void> {
    const closed = new Promise<void>((resolve) => (this.#local.onclose = resolve));
    this.#local.onmessage = (message) => void this.#up(message);
    this.#remote.onmessage = (message) => void this.#down(message);
    await this.#remote.start();
    await this.#local.start();
    await closed;
    for (const request of this.#open.values()) request.abort();
    await this.#remote.close();
  }

  async #up(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message)) return this.#ask(message);
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      return this.#open.get(message.params?.['requestId'] as RequestId)?.abort();
    // A failure is ignored because no request waits for a response to this message.
    await this.#remote.send(message).catch(() => undefined);
  }

  async #ask(request: JSONRPCRequest): Promise<void> {
    const { id, method } = request;
    const hangUp = new AbortController();
    this.#open.set(id, hangUp);
    if (method === 'initialize') this.#handshakes.add(id);
    try {
      await this.#remote.send(request, {
        requestSignal: hangUp.signal,
        onRequestStreamEnd: () =>
          void this.#fail(id, 'The service closed the connection before the end of the response.'),
      });
    } catch (error) {
      await this.#fail(id, failureMessageOf(error));
    }
  }

  async #down(message: JSONRPCMessage): Promise<void> {
    if ('id' in message && message.id !== undefined && !isJSONRPCRequest(message)) {
      this.#open.delete(message.id);
      if (this.#handshakes.delete(message.id) && 'result' in message)
        this.#remote.setProtocolVersion(String(message.result['protocolVersion']));
    }
    await this.#tell(message);
  }

  async #fail(id: RequestId, message: string): Promise<void> {
    const request = this.#open.get(id);
    if (!this.#open.delete(id) || request?.signal.aborted) return;
    await this.#tell({ jsonrpc: '2.0', id, error: { code: SERVICE_FAILED, message } });
  }

  /** Sends a message to the client. Drops it if the client has closed its pipe. */
  async #tell(message: JSONRPCMessage): Promise<void> {
    await this.#local.send(message).catch(() => undefined);
  }
}

function failureMessageOf(error: unknown): string {
  if (!(error instanceof SdkHttpError)) return `The service could not be reached: ${causeCodeOf(error)}.`;
  if (error.status === 401)
    return 'The service rejected the credential. Check SITEFLEET_KEY, or SITEFLEET_USER and SITEFLEET_PASSWORD.';
  return `The service responded with ${error.status}: ${error.message}`;
}

const causeCodeOf = (error: unknown): string => {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
};
