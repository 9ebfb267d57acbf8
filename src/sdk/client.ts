import type { Operation } from '../../generated/sdk/operation.ts';
import { jobs_get, type JobRead } from '../../generated/sdk/parts/jobs.ts';
import { readAnswer, type FullAnswer } from './answer.ts';
import { watchJob, type WaitOptions } from './jobs.ts';
import { itemsOf, pagesOf, type FetchPage } from './pages.ts';
import { abilityRequest, routeRequest } from './request.ts';
import { Transport, type CallOptions, type TransportOptions } from './transport.ts';
import type {
  AbilityArguments,
  AbilityName,
  AnswerOf,
  FileArguments,
  FileRouteId,
  ItemOf,
  PagedArguments,
  PagedId,
  RouteArguments,
  RouteId,
} from './types.ts';

/**
 * A typed client: `client.ability('list-sites-v1', { page: 2 })`, `client.route('jobs_get', { path: { job_id } })`.
 * Throws `SitefleetError` for an error response.
 */
export class Client<M> {
  readonly #operations: ReadonlyMap<string, Operation>;
  readonly #transport: Transport;

  constructor(operations: readonly Operation[], options: TransportOptions) {
    this.#operations = new Map(operations.map((operation) => [operation.id, operation]));
    this.#transport = new Transport(options);
  }

  /** Runs an ability. Failures of single items are listed in `errors` of the response. */
  async ability<Id extends AbilityName<M>>(
    name: Id,
    ...[input, options]: AbilityArguments<M[Id], CallOptions>
  ): Promise<AnswerOf<M[Id]>> {
    return (await this.#call(String(name), input, options)).data as AnswerOf<M[Id]>;
  }

  async route<Id extends RouteId<M>>(
    id: Id,
    ...[args, options]: RouteArguments<M[Id], CallOptions>
  ): Promise<AnswerOf<M[Id]>> {
    return (await this.#call(String(id), args, options)).data as AnswerOf<M[Id]>;
  }

  /** Calls an ability or a route and returns the response with its status, ETag and headers. */
  async answer<Id extends AbilityName<M> | RouteId<M>>(
    id: Id,
    ...rest: PagedArguments<M[Id], CallOptions & { ifNoneMatch?: undefined }>
  ): Promise<FullAnswer<AnswerOf<M[Id]>>>;
  /** Calls with `ifNoneMatch`: `data` is undefined if the record has not changed (status 304). */
  async answer<Id extends AbilityName<M> | RouteId<M>>(
    id: Id,
    ...rest: PagedArguments<M[Id], CallOptions>
  ): Promise<FullAnswer<AnswerOf<M[Id]> | undefined>>;
  async answer<Id extends AbilityName<M> | RouteId<M>>(
    id: Id,
    ...[input, options]: PagedArguments<M[Id], CallOptions>
  ): Promise<FullAnswer<AnswerOf<M[Id]> | undefined>> {
    return (await this.#call(String(id), input, options)) as FullAnswer<AnswerOf<M[Id]>>;
  }

  /** Fetches a file. The body of the response can be read as a stream, a Blob or text. */
  async file<Id extends FileRouteId<M>>(
    id: Id,
    ...[args, options]: FileArguments<M[Id], CallOptions>
  ): Promise<Response> {
    return this.#send(String(id), args, options, async (response) => response);
  }

  /** Yields all items of a paged ability or route. Fetches one page at a time. */
  items<Id extends PagedId<M>>(
    id: Id,
    ...[input, options]: PagedArguments<M[Id], CallOptions>
  ): AsyncGenerator<ItemOf<M[Id]>, void, undefined> {
    return itemsOf(this.#operation(String(id)), input, this.#asker(String(id), options)) as AsyncGenerator<
      ItemOf<M[Id]>,
      void,
      undefined
    >;
  }

  async *pages<Id extends PagedId<M>>(
    id: Id,
    ...[input, options]: PagedArguments<M[Id], CallOptions>
  ): AsyncGenerator<AnswerOf<M[Id]>, void, undefined> {
    const pages = pagesOf(this.#operation(String(id)), input, this.#asker(String(id), options));
    for await (const { data } of pages) yield data as AnswerOf<M[Id]>;
  }

  /**
   * Waits until a job has ended, successfully or not (`data.status`), and returns it with the first page of its items.
   * Takes a job ID or a response that contains one.
   */
  waitForJob(job: string | { job_id: string }, options: WaitOptions = {}): Promise<JobRead> {
    const job_id = typeof job === 'string' ? job : job.job_id;
    return watchJob(async (call) => {
      const request = routeRequest(jobs_get, { path: { job_id } });
      return (await this.#transport.send(jobs_get, request, call, readAnswer)).data as JobRead;
    }, options);
  }

  #asker(id: string, options: CallOptions | undefined): FetchPage {
    return (input) => this.#call(id, input, options);
  }

  #call(id: string, input: unknown, options: CallOptions | undefined): Promise<FullAnswer<unknown>> {
    return this.#send(id, input, options, readAnswer);
  }

  #send<T>(
    id: string,
    input: unknown,
    options: CallOptions | undefined,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const operation = this.#operation(id);
    const request = operation.ability ? abilityRequest(operation, input) : routeRequest(operation, input ?? {});
    return this.#transport.send(operation, request, options, read);
  }

  #operation(id: string): Operation {
    const operation = this.#operations.get(id);
    if (!operation) throw new TypeError(`This client does not contain the operation ${id}.`);
    return operation;
  }
}
