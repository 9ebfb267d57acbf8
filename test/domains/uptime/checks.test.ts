import assert from 'node:assert/strict';
import {
  reachabilityCheckJob,
  ReachabilityCheck,
  type ReachabilityRules,
  type SiteCallLimiter,
} from '../../../src/domains/uptime/index.ts';
import type { ChildLinkResolver } from '../../../src/domains/sites/index.ts';
import {
  OutboundError,
  type OutboundResponse,
  type OutboundFault,
  type OutboundRequest,
} from '../../../src/outbound/outbound.ts';
import type { Attempt } from '../../../src/queue/index.ts';
import { CodedInvalidError, InvalidError, NotFoundError } from '../../../src/shared/errors.ts';

const SITE = 27;
const URL_OF_SITE = 'https://blog.example.net/';

type Access = Awaited<ReturnType<ChildLinkResolver['access']>>;

function accessOf(target: Partial<Access['target']> = {}): Pick<ChildLinkResolver, 'access'> {
  return {
    access: async (siteId) => {
      if (siteId !== SITE) throw new NotFoundError('svc_site_not_found', 'No site matches this reference.');
      return {
        target: { siteId, url: URL_OF_SITE, httpAuth: null, verifyTls: true, ...target },
        admin: 'admin',
        server: '',
        uniqueId: null,
        regverify: null,
      };
    },
  };
}

const answer = (status: number, elapsedMs = 184.4): OutboundResponse => ({
  status,
  headers: {},
  body: Buffer.from(''),
  url: URL_OF_SITE,
  elapsedMs,
});
const fault = (kind: OutboundFault, elapsedMs = 10_004): OutboundError =>
  new OutboundError(kind, kind, false, elapsedMs);

interface ReceivedRequest {
  uptime: ReachabilityCheck;
  requests: OutboundRequest[];
  limited: { id: number; url: string }[];
}

const RULES: ReachabilityRules = { method: 'head', deadlineMs: 60_000, acceptedStatuses: [200] };

/** Returns a check whose web server gives these responses in turn. */
function asking(
  outcomes: (OutboundResponse | Error)[],
  target: Partial<Access['target']> = {},
  rules: Partial<ReachabilityRules> = {},
): ReceivedRequest {
  const requests: OutboundRequest[] = [];
  const limited: { id: number; url: string }[] = [];
  const limit: SiteCallLimiter = (site, work) => {
    limited.push(site);
    return work();
  };
  const request = async (given: OutboundRequest): Promise<OutboundResponse> => {
    requests.push(given);
    const outcome = outcomes[requests.length - 1];
    assert.ok(outcome, 'one request too many');
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const parts = { outbound: { request }, links: accessOf(target), limit, rules: () => ({ ...RULES, ...rules }) };
  return { uptime: new ReachabilityCheck(parts), requests, limited };
}

describe('uptime check of a site', () => {
  it('when a site is checked, then the request is like that of a visitor and within the limits', async () => {
    const { uptime, requests, limited } = asking([answer(200)]);
    assert.deepEqual(await uptime.check(SITE), {
      siteId: SITE,
      siteUrl: URL_OF_SITE,
      reachable: true,
      httpStatus: 200,
      responseTimeMs: 184,
    });
    assert.deepEqual(limited, [{ id: SITE, url: URL_OF_SITE }]);
    const [{ url, method, maxRedirects, deadlineMs, verifyTls, headers } = {} as OutboundRequest] = requests;
    assert.deepEqual(
      { url, method, maxRedirects, deadlineMs, verifyTls, headers },
      { url: URL_OF_SITE, method: 'HEAD', maxRedirects: 5, deadlineMs: 60_000, verifyTls: true, headers: {} },
    );
  });

  it('when a site has HTTP Basic auth or its own certificate, then the request uses its credentials and TLS setting', async () => {
    const { uptime, requests } = asking([answer(200)], {
      httpAuth: { user: 'ünder', pass: 'pä:ss' },
      verifyTls: false,
    });
    await uptime.check(SITE);
    const authorization = requests[0]?.headers?.['authorization'] ?? '';
    assert.match(authorization, /^Basic /);
    assert.equal(Buffer.from(authorization.slice(6), 'base64').toString(), 'ünder:pä:ss');
    assert.equal(requests[0]?.verifyTls, false);
  });

  it('when the status is below 500, then the site is reachable, otherwise not, and the status is returned', async () => {
    for (const status of [204, 301, 401, 403, 404, 499]) {
      const { reachable, httpStatus } = await asking([answer(status)]).uptime.check(SITE);
      assert.deepEqual({ reachable, httpStatus }, { reachable: true, httpStatus: status });
    }
    for (const status of [500, 502, 503, 504, 520]) {
      const { reachable, httpStatus, responseTimeMs } = await asking([answer(status)]).uptime.check(SITE);
      assert.deepEqual(
        { reachable, httpStatus, responseTimeMs },
        { reachable: false, httpStatus: status, responseTimeMs: 184 },
      );
    }
  });

  it('when there is no response, then the site is unreachable, the time is returned and nothing is thrown', async () => {
    for (const kind of ['dns', 'connect', 'tls', 'timeout', 'reset', 'too_many_redirects'] as const) {
      const { reachable, httpStatus, responseTimeMs } = await asking([fault(kind)]).uptime.check(SITE);
      assert.deepEqual(
        { kind, reachable, httpStatus, responseTimeMs },
        { kind, reachable: false, httpStatus: 0, responseTimeMs: 10_004 },
      );
    }
    const broken = asking([new CodedInvalidError('svc_invalid_url', 'A redirect to nowhere.')]);
    const { reachable, httpStatus } = await broken.uptime.check(SITE);
    assert.deepEqual({ reachable, httpStatus }, { reachable: false, httpStatus: 0 });
  });

  it('when DNS fails before the check starts, then the site is unreachable', async () => {
    const limit: SiteCallLimiter = () => Promise.reject(fault('dns', 40));
    const uptime = new ReachabilityCheck({
      outbound: { request: () => assert.fail('asked') },
      links: accessOf(),
      limit,
      rules: () => RULES,
    });
    const { reachable, httpStatus, responseTimeMs } = await uptime.check(SITE);
    assert.deepEqual(
      { reachable, httpStatus, responseTimeMs },
      { reachable: false, httpStatus: 0, responseTimeMs: 40 },
    );
  });

  it('when the page is too large or has a bad encoding, then its status still counts', async () => {
    for (const kind of ['body_too_large', 'bad_encoding'] as const) {
      const unreadable = new OutboundError(kind, kind, true, 12, { status: 203 });
      const { uptime, requests } = asking([unreadable], {}, { method: 'get' });
      const { reachable, httpStatus, responseTimeMs } = await uptime.check(SITE);
      assert.deepEqual(
        { reachable, httpStatus, responseTimeMs },
        { reachable: true, httpStatus: 203, responseTimeMs: 12 },
      );
      assert.equal(requests.length, 1);
    }
  });

  it('when a server does not support HEAD, then GET is sent', async () => {
    for (const status of [405, 501]) {
      const { uptime, requests } = asking([answer(status), answer(200)]);
      assert.equal((await uptime.check(SITE)).httpStatus, 200);
      assert.deepEqual(
        requests.map(({ method }) => method),
        ['HEAD', 'GET'],
      );
    }
    const { uptime, requests } = asking([answer(405)], {}, { method: 'post' });
    assert.equal((await uptime.check(SITE)).httpStatus, 405);
    assert.equal(requests.length, 1);
  });

  it('when an accepted status is 500 or above, then the site is reachable', async () => {
    const { uptime } = asking([answer(503)], {}, { acceptedStatuses: [503] });
    const { reachable, httpStatus } = await uptime.check(SITE);
    assert.deepEqual({ reachable, httpStatus }, { reachable: true, httpStatus: 503 });
  });

  it('when the address is forbidden, the site is unknown or the check is aborted, then the check throws', async () => {
    const refused = asking([new CodedInvalidError('svc_address_refused', 'This address may not be dialled.')]);
    await assert.rejects(
      refused.uptime.check(SITE),
      (error) => error instanceof InvalidError && error.code === 'svc_address_refused',
    );
    await assert.rejects(asking([]).uptime.check(1), NotFoundError);
    await assert.rejects(asking([fault('aborted')]).uptime.check(SITE), OutboundError);
    await assert.rejects(asking([new TypeError('a fault of ours')]).uptime.check(SITE), TypeError);
  });
});

describe('job of kind check', () => {
  const callOf = (siteId: number | null): Attempt => ({
    item: {
      id: 1,
      jobId: 'check_1',
      kind: 'check',
      position: 0,
      siteId,
      identifier: 'x',
      attempt: 1,
      input: {},
      requestedBy: 'admin',
      owner: null,
      result: null,
      isOnlyItem: true,
      isLeased: () => true,
    },
    resumed: false,
    signal: new AbortController().signal,
    lease: { confirm: () => Promise.resolve(() => true), lock: () => Promise.resolve() },
  });

  it('when a job item is done, then its result equals that of a single check', async () => {
    assert.deepEqual(await reachabilityCheckJob(asking([fault('timeout', 30_000)]).uptime).perform(callOf(SITE)), {
      siteId: SITE,
      siteUrl: URL_OF_SITE,
      reachable: false,
      responseTimeMs: 30_000,
      httpStatus: 0,
    });
  });

  it('when a job item has no site, then it fails', async () => {
    await assert.rejects(reachabilityCheckJob(asking([]).uptime).perform(callOf(null)), NotFoundError);
  });
});
