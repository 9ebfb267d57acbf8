import type { ServerResponse } from 'node:http';
import {
  makeKeyPair,
  type ChildLink,
  type Endpoint,
  type KeyPair,
  type Registration,
} from '../../src/connector/index.ts';
import { ChildRefusedError, type DomainError } from '../../src/shared/errors.ts';
import { frame } from '../support/frames.ts';
import { linkTo, makeConnector, recorded, serve, SERVER_URL, thrownBy } from './support.ts';
import type { Connector, FakeServer, Seen } from './support.ts';

export const ASK = {
  abandonedAfterDays: 730,
  actionsSince: 1795235477.088766,
  changesSince: 1795235477,
  changesLimit: 100,
};
export const HELLO = recorded('01-stats-noauth');
export const CONNECTED = recorded('08-stats-noauth-when-connected');
export const STATS = recorded('09-stats');

export type Answer = (seen: Seen, response: ServerResponse) => void;

/** A connector in front of one server whose answers the test decides; each test is another site. */
export class WireRig {
  answer: Answer = () => {};
  siteId = 0;
  /** What was to be kept on the records of sites. */
  readonly remembered: [number, Endpoint][] = [];
  /** How often the rules of calls were looked at. */
  looks = 0;
  pair!: KeyPair;
  server!: FakeServer;
  #connector!: Connector;

  /** Within a `describe`. */
  install(): this {
    before(async () => {
      this.pair = await makeKeyPair();
      this.server = await serve((seen, response) => this.answer(seen, response));
    });
    after(() => this.server.close());
    beforeEach(() => {
      this.#connector = makeConnector({
        deadlines: { readMs: 2000, connectMs: 500 },
        rememberEndpoint: (siteId, endpoint) => this.remembered.push([siteId, endpoint]),
        lookAtRules: async () => void (this.looks += 1),
      });
      this.looks = 0;
      this.remembered.length = 0;
      this.server.seen.length = 0;
      this.nextSite();
    });
    afterEach(() => this.#connector.close());
    return this;
  }

  get child(): Connector['child'] {
    return this.#connector.child;
  }

  nextSite(): void {
    this.siteId += 1;
  }

  link(more: Partial<ChildLink> = {}): ChildLink {
    return { ...linkTo(this.server.url, this.pair, this.siteId), ...more };
  }

  registration(more: Partial<Registration> = {}): Registration {
    const { publicKeyPem } = this.pair;
    const secrets = { password: 'pass', uniqueId: null, regverify: null };
    return { admin: 'admin', server: SERVER_URL, publicKeyPem, ...secrets, ...more };
  }
}

/** Answers by function and by whether the call is signed: `stats`, `stats?` for the unsigned hello. */
export function by(answers: Record<string, unknown>): Answer {
  return (seen, response) => {
    const name = `${seen.form.get('function') ?? ''}${seen.form.has('mainwpsignature') ? '' : '?'}`;
    response.end(name in answers ? frame(answers[name]) : '<html></html>');
  };
}

/** Reason of a refusal, or the code of another error. */
export async function reasonOf(work: () => Promise<unknown>): Promise<string> {
  const error = await thrownBy(work);
  return error instanceof ChildRefusedError ? error.reason : (error as DomainError).code;
}
