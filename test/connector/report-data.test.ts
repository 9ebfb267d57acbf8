import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ReportPeriod, ReportQuery } from '../../src/connector/index.ts';
import { ChildBadAnswerError } from '../../src/shared/child-call-errors.ts';
import { toFrame } from '../support/frames.ts';
import { thrownBy, type ReceivedRequest } from './support.ts';
import { UNSIGNED_CONNECTED_STATS, ConnectorBench } from './connector-bench.ts';

interface Recording {
  name: string;
  function: string;
  fields: Record<string, unknown>;
  answer: unknown;
}

/** Recorded responses of a site with MainWP Child Reports 2.2.5. The shop and both security plugins were simulated. */
const RECORDED = new Map(
  readFileSync(new URL('recordings/report-data.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recording)
    .map((recording) => [recording.name, recording]),
);

const recordedAs = (name: string): unknown => RECORDED.get(name)?.answer;

const daysOf = (startDate: string, endDate: string): ReportPeriod => ({
  startDate,
  endDate,
  from: Date.parse(startDate),
  until: Date.parse(endDate) + 86_400_000,
});

const ALL: ReportQuery['sections'] = ['backups', 'maintenance', 'sucuri', 'wordfence', 'ithemes'];
const COUNTERS: ReportQuery['counters'] = ['wordfence_blocked', 'ithemes_blocked', 'ithemes_lockouts'];
const WEEK = daysOf('2026-11-16', '2026-11-22');
const NO_COUNTERS = { wordfence_blocked: 0, ithemes_blocked: 0, ithemes_lockouts: 0 };
const EMPTY_REPORT = { backups: [], maintenance: [], sucuri: [], wordfence: [], ithemes: [], counters: NO_COUNTERS };
const at = (time: string): number => Date.parse(`${time.replace(' ', 'T')}Z`);

function decoded(seen: ReceivedRequest, name: string): unknown {
  return JSON.parse(Buffer.from(seen.form.get(name) ?? '', 'base64').toString()) as unknown;
}

describe('report data of a site', () => {
  const rig = new ConnectorBench().install();

  const answers = (...all: unknown[]): void => {
    const left = [...all];
    rig.respond = (_seen, response) => void response.end(toFrame(left.length > 1 ? left.shift() : left[0]));
  };
  const ask = (query: Partial<ReportQuery> = {}) =>
    rig.child.reportData(rig.link(), { days: WEEK, sections: ALL, counters: [], ...query });

  /** Responds to each call with the requested sections of a recording that has all. */
  const answersFrom = (name: string): void => {
    const { fields, answer } = RECORDED.get(name) as Recording;
    const { section_token: tokens } = (fields['sections'] as { body: { section_token: string[] } }).body;
    const { body } = (answer as { sections_data: { body: unknown[] } }).sections_data;
    rig.respond = (seen, response) => {
      const asked = decoded(seen, 'sections') as { body: { section_token: string[] } };
      const lists = asked.body.section_token.map((token) => body[tokens.indexOf(token)]);
      response.end(toFrame({ other_tokens_data: [], sections_data: { body: lists } }));
    };
  };

  it('when a site has records of all types, then they are read newest first', async () => {
    answersFrom('records');
    const data = await ask();
    assert.deepEqual(data?.backups, [
      { at: at('2026-11-22 13:45:32'), type: 'database, plugins, themes, uploads' },
      { at: at('2026-11-21 13:45:32'), type: 'database' },
      { at: at('2026-11-20 14:45:32'), type: 'Database backup + File backup' },
      { at: at('2026-11-19 14:45:32'), type: 'Full Backup' },
      { at: at('2026-11-18 14:45:32'), type: 'complete' },
    ]);
    assert.deepEqual(data.maintenance, [
      {
        at: at('2026-11-22 14:44:59'),
        details:
          'Delete all auto draft posts, Delete trash posts, Delete tags with 0 posts associated, ' +
          'Delete categories with 0 posts associated',
        result: 'Maintenance Performed',
      },
      {
        at: at('2026-11-22 14:44:56'),
        details:
          'Delete all post revisions, except for the last: 3, Delete spam comments, Optimize database tables, ' +
          'Delete expired transients',
        result: 'Maintenance Performed',
      },
    ]);
    assert.deepEqual(
      data.sucuri.map(({ status, webtrust }) => [status, webtrust]),
      [
        ['Verified Clear', 'Trusted'],
        ['Verified Clear', 'Trusted'],
        ['Site Blacklisted, Site With Warnings', 'Site Blacklisted'],
        ['Site With Warnings', 'Trusted'],
        ['', ''],
      ],
    );
    assert.deepEqual(
      data.wordfence.map(({ result, issues }) => [result, issues]),
      [
        ['no_issues', 0],
        ['issues', 3],
        ['issues', 1],
      ],
    );
    assert.deepEqual(data.ithemes, [
      {
        at: at('2026-11-22 12:48:52'),
        result: 'no_issues',
        details: 'Scan complete. Congratulations, no new problems found.',
        issues: 0,
      },
      {
        at: at('2026-11-21 11:48:52'),
        result: 'issues',
        details: 'Scan complete. You have 2 new issues to fix.',
        issues: 2,
      },
    ]);
  });

  it('when days are requested, then the call covers all time zones and only matching records are kept', async () => {
    answersFrom('records');
    const days = {
      ...daysOf('2026-11-21', '2026-11-21'),
      from: at('2026-11-20 23:00:00'),
      until: at('2026-11-21 14:00:00'),
    };
    const data = await ask({ days });
    const [seen] = rig.server.requests;
    assert.ok(seen);
    assert.equal(Number(seen.form.get('date_from')) * 1000, Date.parse('2026-11-20'));
    assert.equal(Number(seen.form.get('date_to')) * 1000, Date.parse('2026-11-22'));
    assert.deepEqual(
      data?.backups.map(({ type }) => type),
      ['database'],
    );
  });

  it('when several sections are requested, then each call reads the sections of one plugin', async () => {
    answersFrom('records');
    await ask();
    const asked = rig.server.requests.map((seen) => decoded(seen, 'sections') as { body: Record<string, unknown[]> });
    const { body } = (RECORDED.get('records')?.fields['sections'] ?? assert.fail()) as {
      body: Record<string, unknown[]>;
    };
    for (const part of ['section_token', 'section_content_tokens'])
      assert.deepEqual(
        asked.flatMap((sections) => sections.body[part]),
        body[part],
      );
    assert.deepEqual(
      rig.server.requests.map(({ form }) => form.get('connector')),
      ['mainwp_backups', 'mainwp_maintenance', 'mainwp_sucuri', 'mainwp_wordfence', 'mainwp_ithemes'],
    );
  });

  it('when counters are requested, then they have their own call with days in UTC', async () => {
    answers({ other_tokens_data: [], sections_data: { body: [[]] } }, recordedAs('counters'));
    const days = { ...daysOf('2026-11-20', '2026-11-22'), from: at('2026-11-19 23:00:00') };
    const data = await ask({ days, sections: ['wordfence'], counters: COUNTERS });
    assert.deepEqual(data, {
      ...EMPTY_REPORT,
      counters: { wordfence_blocked: 23, ithemes_blocked: 7, ithemes_lockouts: 2 },
    });
    const [, second] = rig.server.requests;
    assert.ok(second);
    const { fields } = RECORDED.get('counters') ?? {};
    assert.deepEqual(decoded(second, 'other_tokens'), fields?.['other_tokens']);
    for (const name of ['date_from', 'date_to', 'connector'])
      assert.equal(second.form.get(name), String(fields?.[name]));
    rig.nextSite();
    answers(recordedAs('counters-without-plugins'));
    assert.deepEqual(await ask({ sections: [], counters: COUNTERS }), EMPTY_REPORT);
  });

  it('when the site is far to the east of UTC, then its records have the correct time', async () => {
    answersFrom('records-far-east');
    const data = await ask({ days: daysOf('2026-11-21', '2026-11-21') });
    assert.deepEqual(
      data?.sucuri.map((check) => check.at),
      [at('2026-11-21 14:44:59')],
    );
  });

  it('when the reports plugin is missing, then the result is null after one call', async () => {
    answers(recordedAs('absent'));
    assert.equal(await ask({ counters: COUNTERS }), null);
    assert.equal(rig.server.requests.length, 1);
  });

  it('when the site reports a missing plugin in another language, then the result is null', async () => {
    rig.respond = ({ form }, response) => {
      const name = form.get('function');
      const answer =
        name === 'client_report' ? recordedAs('absent-translated') : name === 'stats' ? UNSIGNED_CONNECTED_STATS : [];
      response.end(toFrame(answer));
    };
    assert.equal(await ask(), null);
  });

  it('when the plugin dies, then the result is an error and not a missing plugin', async () => {
    rig.respond = ({ form }, response) => {
      const name = form.get('function');
      const died = { error: 'MainWP_Child fatal error : Call to a member function on null Line: 3' };
      response.end(toFrame(name === 'client_report' ? died : name === 'stats' ? UNSIGNED_CONNECTED_STATS : []));
    };
    const error = await thrownBy(() => ask());
    assert.ok(error instanceof ChildBadAnswerError);
  });

  it('when a response has another format, then the result is one error', async () => {
    const forms = [
      null,
      [],
      'text',
      { sections_data: [] },
      { sections_data: { body: [] } },
      { sections_data: { body: ['rows'] } },
      { sections_data: { body: [null] } },
      { sections_data: { header: [[]] } },
      { sections_data: { body: 7 }, other_tokens_data: { body: {} } },
    ];
    for (const form of forms) {
      rig.nextSite();
      answers(form);
      const error = await thrownBy(() => ask());
      assert.ok(error instanceof ChildBadAnswerError, JSON.stringify(form));
      assert.equal(error.data['outcome'], 'answered');
    }
    for (const form of [{ other_tokens_data: [] }, { other_tokens_data: { body: [] } }, { sections_data: {} }]) {
      rig.nextSite();
      answers(form);
      const error = await thrownBy(() => ask({ sections: [], counters: COUNTERS }));
      assert.ok(error instanceof ChildBadAnswerError, JSON.stringify(form));
    }
  });

  it('when values are harmful, then they are cut, cleaned or omitted', async () => {
    const utime = '[backup.created.utime]';
    const type = '[backup.created.type]';
    const good = '2026-11-20 10:00:00';
    const rows = [
      { [utime]: good, [type]: `<script>\u202ealert(1)</script>\u0000${'x'.repeat(5000)}` },
      { [utime]: good, [type]: 'the same once more' },
      { [utime]: '2026-11-20 09:00:00', [type]: { deep: ['list'] } },
      { [utime]: '2026-11-20 08:00:00', ['__proto__']: { [type]: 'not its own' } },
      { [utime]: '2026-11-20 25:00:00', [type]: 'no such time' },
      { [utime]: 1795168800, [type]: 'a number' },
      { [utime]: '1999-01-01 00:00:00', [type]: 'long ago' },
      { [type]: 'never' },
      [],
      null,
      'row',
    ];
    answers({ other_tokens_data: [], sections_data: { body: [rows] } });
    const data = await ask({ sections: ['backups'] });
    assert.equal(data?.backups.length, 3);
    const [first, ...others] = data.backups;
    assert.equal(first?.type.length, 1000);
    assert.match(first?.type ?? '', /^<script>alert\(1\)<\/script>x+$/);
    assert.deepEqual(
      others.map((backup) => backup.type),
      ['', ''],
    );
    const counted = {
      '[wordfence.blocked.count]': '1e99',
      '[ithemes.blocked.count]': -7,
      '[ithemes.lockout.count]': {},
    };
    rig.nextSite();
    answers({ other_tokens_data: { body: counted } });
    assert.deepEqual(await ask({ sections: [], counters: COUNTERS }), EMPTY_REPORT);
  });

  it('when there are more records than a year of hourly backups, then the newest are read', async () => {
    const stamp = (minute: number): string => new Date(at('2026-11-22 23:59:00') - minute * 60_000).toISOString();
    const rows = Array.from({ length: 10_050 }, (_, minute) => ({
      '[backup.created.utime]': stamp(minute).slice(0, 19).replace('T', ' '),
    }));
    answers({ other_tokens_data: [], sections_data: { body: [rows] } });
    const data = await ask({ sections: ['backups'], days: daysOf('2026-11-01', '2026-11-30') });
    assert.equal(data?.backups.length, 10_000);
    assert.equal(data.backups[0]?.at, at('2026-11-22 23:59:00'));
  });
});

describe('shop of a site', () => {
  const rig = new ConnectorBench().install();
  const answers = (answer: unknown): void =>
    void (rig.respond = (_seen, response) => void response.end(toFrame(answer)));
  const shop = (days = daysOf('2026-11-19', '2026-11-22')) => rig.child.shopData(rig.link(), days);

  it('when the site has a shop, then its sales and order counts are read', async () => {
    answers(recordedAs('shop'));
    assert.deepEqual(await shop(), {
      sales: 58.75,
      salesText: '€58.75',
      topSeller: { name: 'Roll', quantity: 10 },
      awaitingProcessing: 2,
      onHold: 1,
      lowStock: 1,
      outOfStock: 1,
    });
    const { fields } = RECORDED.get('shop') ?? {};
    for (const name of ['start_date', 'end_date', 'mwp_action'])
      assert.equal(rig.server.requests[0]?.form.get(name), String(fields?.[name]));
  });

  it('when nothing was sold, then the total is 0 and there is no top seller', async () => {
    answers(recordedAs('shop-without-orders'));
    const { sales, salesText, topSeller } = (await shop()) ?? {};
    assert.deepEqual({ sales, salesText, topSeller }, { sales: 0, salesText: '€0.00', topSeller: null });
  });

  it('when there is no shop, then the result is null', async () => {
    answers(recordedAs('shop-absent'));
    assert.equal(await shop(), null);
  });

  it('when values have other types, then valid ones are read, and a response without shop data is an error', async () => {
    const data = {
      sales: 12,
      formated_sales: [],
      top_seller: false,
      onhold: '3',
      awaiting: null,
      lowstock: {},
      outstock: -1,
    };
    answers({ data });
    assert.deepEqual(await shop(), {
      sales: 12,
      salesText: '',
      topSeller: null,
      awaitingProcessing: 0,
      onHold: 3,
      lowStock: 0,
      outOfStock: 0,
    });
    for (const answer of [false, [], { data: false }, { data: [] }, {}]) {
      rig.nextSite();
      answers(answer);
      assert.ok((await thrownBy(() => shop())) instanceof ChildBadAnswerError, JSON.stringify(answer));
    }
  });
});
