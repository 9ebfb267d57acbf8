import { isDeepStrictEqual } from 'node:util';
import type { Knex } from 'knex';
import { inTransaction } from '../../db/transaction.ts';
import type { Clock } from '../../shared/clock.ts';
import { describeChangedObject, toSnakeCaseFieldName, type ChangedObject } from '../../shared/changed-object.ts';
import { ConflictError } from '../../shared/errors.ts';
import { FieldErrors } from '../../shared/field-errors.ts';
import type { Page, PageRequest } from '../../shared/paging.ts';
import type { Precondition } from '../../shared/precondition.ts';
import { requesterOf } from '../../shared/requester.ts';
import { ALL_SITES, type SiteScope } from '../../shared/site-scope.ts';
import type { ReportDays } from '../pro-reports/index.ts';
import { requireKnownTokens } from '../report-templates/index.ts';
import { checkedSchedule, FIELD_NAMES } from './report-schedule-checks.ts';
import type { StoredReportRecord } from './stored-report.ts';
import { reportNotFound, StoredReportRepository } from './stored-report-repository.ts';
import type { ReportChangeLog } from './report-change-log.ts';
import type { ReportMaker } from './report-maker.ts';
import type { ReportRendererPort } from './ports.ts';
import { ReportScheduleReadModel } from './report-schedule-read-model.ts';
import { ReportScheduleRepository, scheduleNotFound } from './report-schedule-repository.ts';
import { ALL_REPORTS, hasSiteInScope, refuseReportsOutside } from './report-scope-read-model.ts';
import type {
  FileFormat,
  NewReportSchedule,
  ReportActor,
  ReportScheduleFilter,
  ReportSchedulePatch,
  ReportScheduleRecord,
  ScheduleFields,
  ScheduleOrder,
} from './report-schedule.ts';
import type { ReportScheduleRunner } from './report-schedule-runner.ts';
import { chosenDays, type PeriodChoice } from './report-period.ts';
import {
  clientMailAddressesOf,
  clientNotFound,
  ReportTargetReadModel,
  siteNotFound,
  type ReportTarget,
} from './report-target-read-model.ts';

export interface ReportScheduleServiceDeps {
  knex: Knex;
  clock: Clock;
  log: ReportChangeLog;
  runs: ReportScheduleRunner;
  maker: Pick<ReportMaker, 'request' | 'rangeOf'>;
  renderer: ReportRendererPort;
  holdsByDefault: () => boolean;
  /** Returns the day in a time zone, or in that of the settings if the name is empty. */
  dayOf: (ms: number, zone: string) => string;
}

export interface PreviewedReport {
  content: string | Uint8Array;
  name: string;
}

export class ReportScheduleService {
  readonly #deps: ReportScheduleServiceDeps;

  constructor(deps: ReportScheduleServiceDeps) {
    this.#deps = deps;
  }

  get(scope: SiteScope, id: number): Promise<ReportScheduleRecord> {
    return new ReportScheduleReadModel(this.#deps.knex).get(scope, id);
  }

  list(
    scope: SiteScope,
    filter: ReportScheduleFilter,
    order: ScheduleOrder,
    request: PageRequest,
  ): Promise<Page<ReportScheduleRecord>> {
    return new ReportScheduleReadModel(this.#deps.knex).list(scope, filter, order, request);
  }

  /**
   * Throws `svc_site_not_found`, `svc_client_not_found` and `InvalidError`, and `svc_outside_limits` if the client has
   * sites that the caller does not see.
   */
  async create(input: NewReportSchedule, caller: ReportActor): Promise<ReportScheduleRecord> {
    const { siteId, clientId, ...sent } = input;
    const errors = new FieldErrors()
      .require('siteId', siteId !== undefined || clientId !== undefined, 'must be set if no client is set')
      .require('clientId', siteId === undefined || clientId === undefined, 'must not be set together with a site');
    const { knex, clock, runs, log, holdsByDefault } = this.#deps;
    const fields = checkedSchedule({ ...sent, holdFirstReport: sent.holdFirstReport ?? holdsByDefault() }, errors);
    const id = await inTransaction(knex, async ({ trx }) => {
      const targets = new ReportTargetReadModel(trx);
      const place = { siteId: siteId ?? null, clientId: siteId === undefined ? (clientId ?? null) : null };
      const notFound = siteId === undefined ? clientNotFound : siteNotFound;
      // Hides from the caller that a site or client exists: the same SQL as for a missing one, and no lock.
      if (!(await hasSiteInScope(trx, caller.sites, place))) throw notFound();
      const about = siteId === undefined ? await targets.lockClient(clientId ?? 0) : await targets.lockSite(siteId);
      await refuseReportsOutside(trx, caller.sites, place, notFound);
      refuseWithoutRecipient(fields, about);
      const now = clock.now();
      const written = { ...fields, ...runs.dueFrom(fields, now), owner: requesterOf(caller).owner };
      const inserted = await new ReportScheduleRepository(trx).insert(written, place, now);
      const logged = { id: inserted, name: fields.name, siteId: place.siteId };
      const description = `Added the report schedule ${fields.name}.`;
      await log(trx, logged, 'report_schedule.added', description, caller.name, changedScheduleValues(null, fields));
      return inserted;
    });
    return this.get(ALL_SITES, id);
  }

  /**
   * Writes nothing if no value changes. Throws `svc_report_schedule_not_found`, `svc_outside_limits` and
   * `InvalidError`.
   */
  async update(
    id: number,
    patch: ReportSchedulePatch,
    caller: ReportActor,
    precondition?: Precondition<ReportScheduleRecord>,
  ): Promise<ReportScheduleRecord> {
    const { knex, clock, runs, log } = this.#deps;
    await inTransaction(knex, async ({ trx }) => {
      const schedules = new ReportScheduleRepository(trx);
      const stored = await schedules.lock(caller.sites, id);
      await refuseReportsOutside(trx, caller.sites, stored, scheduleNotFound);
      precondition?.(await new ReportScheduleReadModel(trx).withTarget(stored));
      const fields = checkedSchedule({ ...pickScheduleFields(stored), ...patch });
      const values = changedScheduleValues(stored, fields);
      const edited = FIELD_NAMES.filter((name) => !isDeepStrictEqual(stored[name], fields[name]));
      if (edited.length === 0) return;
      if (edited.includes('recipients'))
        refuseWithoutRecipient(
          fields,
          (await new ReportTargetReadModel(trx).of([stored])).get(id) ?? { site: null, client: null },
        );
      const now = clock.now();
      const isMoved = edited.some((name) => RESCHEDULING_FIELDS.includes(name));
      const due = isMoved ? runs.dueFrom(fields, now) : { nextRunAt: stored.nextRunAt, zone: stored.zone };
      const owner = edited.includes('recipients') ? requesterOf(caller).owner : stored.owner;
      await schedules.update(id, { ...fields, ...due, owner }, now);
      const logged = { id, name: fields.name, siteId: stored.siteId };
      const description = `Changed ${edited.map(toSnakeCaseFieldName).join(', ')} of the report schedule ${fields.name}.`;
      await log(trx, logged, 'report_schedule.updated', description, caller.name, values);
    });
    return this.get(ALL_SITES, id);
  }

  async delete(
    id: number,
    caller: ReportActor,
    precondition?: Precondition<ReportScheduleRecord>,
  ): Promise<ReportScheduleRecord> {
    const { knex, log } = this.#deps;
    return inTransaction(knex, async ({ trx }) => {
      const schedules = new ReportScheduleRepository(trx);
      const stored = await schedules.lock(caller.sites, id);
      await refuseReportsOutside(trx, caller.sites, stored, scheduleNotFound);
      const record = await new ReportScheduleReadModel(trx).withTarget(stored);
      precondition?.(record);
      await new StoredReportRepository(trx).deleteQueuedOf([id]);
      await schedules.delete(id);
      const description = `Deleted the report schedule ${record.name}.`;
      await log(trx, record, 'report_schedule.deleted', description, caller.name, changedScheduleValues(record, null));
      return record;
    });
  }

  /**
   * Queues a report immediately and returns it. Throws `svc_report_schedule_not_found`, `svc_outside_limits`,
   * `svc_schedule_running`, `svc_site_suspended`, `svc_client_suspended` and `InvalidError`.
   */
  async run(
    id: number,
    period: PeriodChoice,
    caller: ReportActor,
    text: string | null = null,
  ): Promise<StoredReportRecord> {
    const { knex, clock, runs, maker, log } = this.#deps;
    const record = await this.get(caller.sites, id);
    requireKnownTokens('text', text ?? '');
    const days = this.#daysOf(period, record);
    await maker.rangeOf(record, days);
    return inTransaction(knex, async (scope) => {
      const { trx } = scope;
      const schedules = new ReportScheduleRepository(trx);
      const schedule = await schedules.lock(caller.sites, id);
      await refuseReportsOutside(trx, caller.sites, schedule, scheduleNotFound);
      const about = (await new ReportTargetReadModel(trx).of([schedule])).get(id) ?? { site: null, client: null };
      refuseSuspended(about);
      const jobId = await runs.jobUnderWay(trx, id);
      if (jobId !== null)
        throw new ConflictError('svc_schedule_running', 'A report of this schedule is already being created.', {
          job_id: jobId,
        });
      const now = clock.now();
      const ids = await runs.queue(scope, [{ schedule, about, days, text }], requesterOf(caller));
      await schedules.reschedule(id, { nextRunAt: schedule.nextRunAt, zone: schedule.zone, lastRunAt: now });
      const description = `Queued the report ${schedule.name}.`;
      await log(trx, schedule, 'report_schedule.run', description, caller.name);
      return queuedReport(trx, ids[0] as number);
    });
  }

  /**
   * Returns the report that would be sent now. Throws `svc_report_schedule_not_found`, `svc_outside_limits` and
   * `InvalidError`. For a PDF, also throws `svc_module_not_available` if the browser that prints it is not installed.
   */
  async preview(
    scope: SiteScope,
    id: number,
    { text, ...period }: PeriodChoice & { text: string | null },
    format: FileFormat,
    disconnectSignal: () => AbortSignal,
  ): Promise<PreviewedReport> {
    const schedule = await this.get(scope, id);
    await refuseReportsOutside(this.#deps.knex, scope, schedule, scheduleNotFound);
    requireKnownTokens('text', text ?? '');
    const { maker, renderer } = this.#deps;
    const wanted = await maker.request(scope, schedule, this.#daysOf(period, schedule), text);
    if (format === 'pdf') return renderer.pdf(wanted, disconnectSignal());
    const { html: content, fileName: name } = await renderer.render(wanted);
    return { content, name };
  }

  #daysOf(period: PeriodChoice, { frequency, timeZone }: ReportScheduleRecord): ReportDays {
    const { clock, dayOf } = this.#deps;
    const now = clock.now();
    return chosenDays(period, frequency, dayOf(now, timeZone));
  }
}

/** Reads the report inside the transaction and without a scope: after it, the caller may no longer see the report. */
async function queuedReport(trx: Knex.Transaction, id: number): Promise<StoredReportRecord> {
  const report = await new StoredReportRepository(trx).find(ALL_REPORTS, id);
  if (!report) throw reportNotFound();
  return { ...report, mails: [], links: [] };
}

const RESCHEDULING_FIELDS: readonly string[] = ['frequency', 'day', 'time', 'active'];

function pickScheduleFields(schedule: ScheduleFields): ScheduleFields {
  const { name, frequency, day, time, segments, recipients, subject, format, active, holdFirstReport } = schedule;
  return { name, frequency, day, time, segments, recipients, subject, format, active, holdFirstReport };
}

function changedScheduleValues(
  before: ScheduleFields | null,
  after: ScheduleFields | null,
): Pick<ChangedObject, 'before' | 'after'> {
  const [old, now] = [before, after].map((fields) => fields && { ...pickScheduleFields(fields) });
  const {
    name: _name,
    key: _key,
    ...values
  } = describeChangedObject({ name: null, key: '' }, old ?? null, now ?? null);
  return values;
}

/** Throws if there is no recipient when a schedule is saved. The client can still lose its email address later. */
function refuseWithoutRecipient({ recipients }: ScheduleFields, about: ReportTarget): void {
  const why = about.client ? 'the client has no e-mail address' : 'the site has no client';
  new FieldErrors()
    .require(
      'recipients',
      recipients.length > 0 || clientMailAddressesOf(about).length > 0,
      `must contain an address, because ${why}`,
    )
    .throwIfAny();
}

function refuseSuspended({ site, client }: ReportTarget): void {
  if (site?.status === 'suspended') throw new ConflictError('svc_site_suspended', 'The site is suspended.');
  if (!site && client?.status === 'suspended')
    throw new ConflictError('svc_client_suspended', 'The client is suspended.');
}
