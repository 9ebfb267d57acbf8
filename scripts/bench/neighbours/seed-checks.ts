import type { Knex } from 'knex';
import { HourlyFiguresOfDay } from '../../../src/domains/uptime/check-figures.ts';
import { dayNumberOf, packHeartbeatWithDay, type Heartbeat } from '../../../src/domains/uptime/heartbeat.ts';
import { DAY, HOUR } from '../../../src/shared/clock.ts';
import { insertRows } from './insert-rows.ts';
import * as scale from './scale.ts';

const STRATEGIES = ['desktop', 'mobile'] as const;
/** One audit a day since half a year: as many as the answer with `history=1` can have of a site. */
const AUDITS_A_SITE = 180;
/** Sites on one page of the list of audits with the largest `per_page`. */
const SITES_WITH_HISTORY = 500;
const MONITORED_DAYS = 31;
const WEEK = 7 * DAY;
const TIMES = { totalMs: 150, dnsMs: 1, connectMs: 20, tlsMs: 40, firstByteMs: 90 };

/** Inserts the results of the checks that run on a schedule: audits, certificates, domains and uptime. */
export async function seedChecks(knex: Knex, now: number): Promise<void> {
  await seedAudits(knex, now);
  await seedCertificates(knex, now);
  await seedDomains(knex, now);
  await seedUptime(knex, now);
}

async function seedAudits(knex: Knex, now: number): Promise<void> {
  const scores = { performance: 70, accessibility: 80, best_practices: 90, seo: 100 };
  await insertRows(knex, 'perf_audits', scale.SITES, (at) => ({
    ...{ site_id: at + 1, audit_id: `bench-${at}`, state: 'completed', strategy: 'both', engine: 'lighthouse' },
    ...{ queued_at: now - HOUR, started_at: now - HOUR, last_check_at: now - HOUR, is_below: 0 },
  }));
  const item = (id: string): object => ({ id, title: `Title of ${id}`, score: 0.5, displayValue: '1.2 s' });
  const details = JSON.stringify({
    scores: { performance: 70, accessibility: 80, bestPractices: 90, seo: 100 },
    ...{ finalUrl: 'https://bench.example/', engineVersion: '12.0.0', previous: null, fetchedAt: now - HOUR },
    labData: ['fcp', 'lcp', 'tbt', 'cls', 'si', 'tti'].map((id) => ({
      ...item(id),
      ...{ numericValue: 1_200, numericUnit: 'millisecond' },
    })),
    opportunities: Array.from({ length: 12 }, (_, at) => ({ ...item(`opportunity-${at}`), savingsMs: 300 })),
  });
  await insertRows(knex, 'perf_audit_sides', 2 * scale.SITES, (index) => ({
    ...{ site_id: Math.floor(index / 2) + 1, strategy: STRATEGIES[index % 2], ...scores, details },
  }));
  const ofSite = 2 * AUDITS_A_SITE;
  await insertRows(knex, 'perf_audit_history', SITES_WITH_HISTORY * ofSite, (index) => {
    const audit = Math.floor((index % ofSite) / 2);
    return {
      ...{ site_id: Math.floor(index / ofSite) + 1, audit_id: `bench-${audit}`, strategy: STRATEGIES[index % 2] },
      ...{ fetched_at: now - HOUR - audit * DAY, ...scores },
    };
  });
}

async function seedCertificates(knex: Knex, now: number): Promise<void> {
  const dates = { valid_from: now - WEEK, valid_to: now + 80 * DAY };
  const fingerprintOf = (at: number): string => String(at).padStart(64, '0');
  const person = { CN: 'bench.example', O: 'Bench', OU: null, L: null, ST: null, C: 'DE' };
  const facts = JSON.stringify({
    ...{ subject: person, issuer: person, altNames: Array.from({ length: 20 }, (_, at) => `www${at}.bench.example`) },
    ...{ serialNumber: '0A', signatureAlgorithm: 'sha256WithRSAEncryption', keyType: 'rsa', keyBits: 2_048 },
    ...{ isSelfSigned: false },
  });
  await insertRows(knex, 'ssl_certificates', scale.SITES, (at) => ({
    ...{ site_id: at + 1, fingerprint: fingerprintOf(at), key_fingerprint: fingerprintOf(at), facts, ...dates },
    ...{ changed: '', first_seen_at: now - WEEK, last_seen_at: now - HOUR },
  }));
  await insertRows(knex, 'ssl_monitors', scale.SITES, (at) => ({
    ...{ site_id: at + 1, state: 'valid', last_check_at: now - HOUR, fingerprint: fingerprintOf(at), ...dates },
    ...{ protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', chain_length: 2, weaknesses: '' },
  }));
}

async function seedDomains(knex: Knex, now: number): Promise<void> {
  const facts = JSON.stringify({
    ...{ registrar: 'Registrar', registrarIanaId: '1', registrarUrl: null, abuseEmail: null, abusePhone: null },
    ...{ registrarWhoisServer: null, registryDomainId: null, createdAt: now - 900 * DAY, updatedAt: now - 90 * DAY },
    ...{ expiresAt: now + 200 * DAY, statuses: ['active'], nameServers: ['ns1.bench.example'], dnssec: 'signed' },
  });
  const nameOf = (at: number): string => `site-${at}.example`;
  await insertRows(knex, 'domains', scale.SITES, (at) => ({
    ...{ name: nameOf(at), condition_code: 'registered', facts, source: 'rdap', expires_at: now + 200 * DAY },
    ...{ asked_at: now - HOUR - at, answered_at: now - HOUR - at },
  }));
  await insertRows(knex, 'site_domains', scale.SITES, (at) => ({ site_id: at + 1, domain: nameOf(at) }));
}

async function seedUptime(knex: Knex, now: number): Promise<void> {
  const today = dayNumberOf(now);
  const beatAt = (at: number): Heartbeat => ({
    ...{ at, state: 'up', isChange: false },
    attempts: [{ finding: 'status_accepted', status: 200, address: '203.0.113.7', ...TIMES }],
  });
  const figures = HourlyFiguresOfDay.of(today, '');
  for (let hour = 0; hour < 24; hour++) figures.add(beatAt(today * DAY + hour * HOUR));
  const hours = figures.packed();
  await insertRows(knex, 'monitor_days', scale.SITES * MONITORED_DAYS, (index) => ({
    ...{
      site_id: Math.floor(index / MONITORED_DAYS) + 1,
      day: today - (index % MONITORED_DAYS),
      up: 24,
      down: 0,
      hours,
    },
  }));
  // The next check is due after the bench, because checks are measured by the part `uptime`.
  const last = packHeartbeatWithDay(beatAt(now - HOUR));
  await insertRows(knex, 'monitors', scale.SITES, (at) => ({
    ...{ site_id: at + 1, state: 'up', next_check_at: now + DAY, last_check_at: now - HOUR, last_beat: last },
  }));
  await insertRows(knex, 'incidents', 2 * scale.SITES, (index) => {
    const started_at = now - WEEK - (index % 2) * WEEK;
    return {
      ...{ site_id: Math.floor(index / 2) + 1, started_at, ended_at: started_at + HOUR, down_count: 1 },
      ...{ cause: 'The site answered with 500.', beat: last },
    };
  });
}
