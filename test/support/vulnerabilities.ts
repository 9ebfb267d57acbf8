import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runSchedule } from './schedules.ts';
import { editSettings } from './settings.ts';
import { syncSites } from './sites.ts';
import type { World } from './world.ts';

// The contract check has already seen the bodies.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

interface Range {
  from?: string;
  to: string;
  toInclusive?: boolean;
}

export interface Advisory {
  id?: string;
  type?: 'plugin' | 'theme' | 'core';
  slug: string;
  /** All versions up to and including this one, unless `ranges` is set. */
  upTo?: string;
  ranges?: Range[];
  patched?: string[];
  score?: number | null;
  vector?: string;
  cve?: string | null;
  published?: string | null;
  title?: string;
}

const uuid = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;

const rangeOf = ({ from = '*', to, toInclusive = true }: Range) => ({
  from_version: from,
  from_inclusive: true,
  to_version: to,
  to_inclusive: toInclusive,
});

/** Returns records in the format of the Wordfence Intelligence feed. */
export function wordfenceFeed(...advisories: Advisory[]): Record<string, Json> {
  const records = advisories.map((advisory, index) => {
    const { type = 'plugin', slug, upTo = '9.0', patched = ['9.1'], score = 7.2 } = advisory;
    const { vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:L/I:L/A:N' } = advisory;
    const { published = '2026-11-20 06:02:11', cve = `CVE-2026-${10_001 + index}` } = advisory;
    const id = advisory.id ?? uuid(index + 1);
    const ranges = (advisory.ranges ?? [{ to: upTo }]).map(rangeOf);
    return {
      id,
      title: advisory.title ?? `${slug} <= ${upTo} - Stored Cross-Site Scripting`,
      software: [
        {
          type,
          name: slug,
          slug,
          affected_versions: Object.fromEntries(
            ranges.map((range) => [`${range.from_version} - ${range.to_version}`, range]),
          ),
          patched: patched.length > 0,
          patched_versions: patched,
          remediation: 'Update to a newer patched version',
        },
      ],
      informational: false,
      description: `The software ${slug} does not escape what visitors send.`,
      references: [`https://www.wordfence.com/threat-intel/vulnerabilities/id/${id}`],
      cwe: { id: 79, name: 'Cross-site Scripting', description: 'Input is not neutralised.' },
      cvss: score === null ? null : { vector, score, rating: 'High' },
      cve,
      cve_link: cve === null ? null : `https://www.cve.org/CVERecord?id=${cve}`,
      researchers: ['Ann Lee'],
      published,
      updated: '2026-11-21 10:00:00',
      copyrights: {
        message: 'This record contains material that is subject to copyright.',
        defiant: {
          notice: 'Copyright 2012-2026 Defiant Inc.',
          license: 'Reproduce this notice.',
          license_url: 'https://www.wordfence.com/terms/',
        },
        mitre: {
          notice: 'Copyright 1999-2026 The MITRE Corporation',
          license: 'Reproduce this too.',
          license_url: 'https://www.cve.org/Legal/TermsOfUse',
        },
      },
    };
  });
  return Object.fromEntries(records.map((record) => [record.id, record]));
}

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of feeds with ETag and Last-Modified, as their publishers have. A test can replace its responses. */
export class FeedServer {
  readonly #server: Server;
  readonly url: string;
  readonly requests: IncomingMessage['headers'][] = [];
  content: unknown = {};
  etag: string | null = null;
  respond: Respond | null = null;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`;
  }

  static async start(): Promise<FeedServer> {
    const at: { server?: FeedServer } = {};
    const server = createServer((request, response) => at.server?.answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (at.server = new FeedServer(server));
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(request.headers);
    if (this.respond) return this.respond(request, response);
    if (this.etag !== null && request.headers['if-none-match'] === this.etag) {
      response.writeHead(304).end();
      return;
    }
    const headers = { 'content-type': 'application/json', ...(this.etag !== null && { etag: this.etag }) };
    response.writeHead(200, headers).end(JSON.stringify(this.content));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Returns a record in the OSV schema that affects all versions before `fixed`. */
export const osvRecord = (slug: string, fixed: string, more: object = {}) => ({
  schema_version: '1.9.0',
  id: `OSV-${slug}`,
  modified: '2026-11-21T10:00:00Z',
  published: '2026-11-20T06:02:11Z',
  aliases: ['CVE-2026-10009'],
  summary: `Stored cross-site scripting in ${slug}`,
  details: `The software ${slug} does not escape what visitors send.`,
  severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
  affected: [
    {
      package: { ecosystem: 'WordPress:Plugin', name: slug },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed }] }],
    },
  ],
  references: [{ type: 'ADVISORY', url: 'https://example.com/advisory' }],
  ...more,
});

/** Sets the version of a plugin on a site, and syncs the site. */
export async function setPluginVersion(world: World, index: number, plugin: string, version: string): Promise<void> {
  const site = world.site(index);
  const installed = site.state.plugins.get(plugin);
  assert.ok(installed, `The site has no ${plugin}.`);
  installed.version = version;
  site.touch();
  await syncSites(world, world.siteId(index));
}

/** Makes the service read this server as the Wordfence feed. */
export const useWordfenceFeed = (world: World, { url }: { url: string }) =>
  editSettings(world, 'vulnerabilities', { wordfence_api_key: 'a-key-of-the-feed', wordfence_url: url });

/** Makes the service read feeds in the OSV schema. */
export const useOsvFeeds = (world: World, ...osv_sources: string[]) =>
  editSettings(world, 'vulnerabilities', { osv_sources });

/** Reads the configured feeds. Returns the items of the job. */
export async function refreshFeeds(world: World): Promise<Json[]> {
  const { items } = await runSchedule(world, 'vulnerability-refresh');
  return items as Json[];
}

/** Publishes a vulnerability of the child plugin, which all sites have. Returns its ID. */
export async function exposeSites(world: World): Promise<number> {
  const feed = await FeedServer.start();
  feed.content = [osvRecord('mainwp-child', '99')];
  await useOsvFeeds(world, feed.url);
  await refreshFeeds(world);
  await feed.close();
  const [vulnerability] = (await listVulnerabilities(world)).data;
  return vulnerability.id as number;
}

export const listExposures = async (world: World, query = ''): Promise<Json> =>
  (await world.request('GET', `/api/v2/vulnerabilities/exposures?per_page=500${query}`)).body;

export const listVulnerabilities = async (world: World, query = ''): Promise<Json> =>
  (await world.request('GET', `/api/v2/vulnerabilities?per_page=500${query}`)).body;

export const summaryOf = async (world: World): Promise<Json> =>
  (await world.request('GET', '/api/v2/vulnerabilities/summary')).body.data;
