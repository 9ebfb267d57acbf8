import type { ServerResponse } from 'node:http';
import {
  makeKeyPair,
  type ChildLink,
  type Endpoint,
  type KeyPair,
  type Registration,
} from '../../src/connector/index.ts';
import { ChildRefusedError } from '../../src/shared/child-call-errors.ts';
import type { DomainError } from '../../src/shared/errors.ts';
import { toFrame } from '../support/frames.ts';
import { createLink, makeConnector, readRecording, startFakeServer, SERVER_URL, thrownBy } from './support.ts';
import type { TestConnector, FakeServer, ReceivedRequest } from './support.ts';

export const STATS_REQUEST = {
  abandonedAfterDays: 730,
  actionsSince: 1795235477.088766,
  changesSince: 1795235477,
  changesLimit: 100,
};
export const UNCONNECTED_STATS = readRecording('01-stats-noauth');
export const UNSIGNED_CONNECTED_STATS = readRecording('08-stats-noauth-when-connected');
export const STATS = readRecording('09-stats');

export type Respond = (seen: ReceivedRequest, response: ServerResponse) => void;

/** A connector with one server whose responses the test sets. Each test uses another site ID. */
export class ConnectorBench {
  respond: Respond = () => {};
  siteId = 0;
  /** Endpoints that the connector stored for sites. */
  readonly storedEndpoints: [number, Endpoint][] = [];
  /** Number of times that the settings were refreshed. */
  settingsRefreshes = 0;
  pair!: KeyPair;
  server!: FakeServer;
  #connector!: TestConnector;

  /** Must be called inside a `describe`. */
  install(): this {
    before(async () => {
      this.pair = await makeKeyPair();
      this.server = await startFakeServer((seen, response) => this.respond(seen, response));
    });
    after(() => this.server.close());
    beforeEach(() => {
      this.#connector = makeConnector({
        deadlines: { readMs: 2000, connectMs: 500 },
        rememberEndpoint: (siteId, endpoint) => this.storedEndpoints.push([siteId, endpoint]),
        lookAtRules: async () => void (this.settingsRefreshes += 1),
      });
      this.settingsRefreshes = 0;
      this.storedEndpoints.length = 0;
      this.server.requests.length = 0;
      this.nextSite();
    });
    afterEach(() => this.#connector.close());
    return this;
  }

  get child(): TestConnector['child'] {
    return this.#connector.child;
  }

  nextSite(): void {
    this.siteId += 1;
  }

  link(more: Partial<ChildLink> = {}): ChildLink {
    return { ...createLink(this.server.url, this.pair, this.siteId), ...more };
  }

  registration(more: Partial<Registration> = {}): Registration {
    const { publicKeyPem } = this.pair;
    const secrets = { password: 'pass', uniqueId: null, regverify: null };
    return { admin: 'admin', server: SERVER_URL, publicKeyPem, ...secrets, ...more };
  }
}

/** Responds by function. A name with `?` is the unsigned call, such as `stats?`. */
export function respondByFunction(answers: Record<string, unknown>): Respond {
  return (seen, response) => {
    const name = `${seen.form.get('function') ?? ''}${seen.form.has('mainwpsignature') ? '' : '?'}`;
    response.end(name in answers ? toFrame(answers[name]) : '<html></html>');
  };
}

/** Returns the reason of a rejection, or the code of another error. */
export async function reasonOf(work: () => Promise<unknown>): Promise<string> {
  const error = await thrownBy(work);
  return error instanceof ChildRefusedError ? error.reason : (error as DomainError).code;
}
