import type { JobKind } from '../../queue/index.ts';
import type { ItemError } from '../../shared/errors.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import type { SelectedSites, SiteSelection, SiteSelector } from '../fleet-reads/index.ts';
import type { FleetResultsAndErrors, FleetRunner, FleetSite } from '../jobs/index.ts';
import type { SiteJobResult } from '../sites/index.ts';
import { refuseInvalidUser, type NewUser } from './child-user.ts';
import { ALL_SITES, type UserCreationJobResult, type InputsByFileRow, type UserJobs } from './user.jobs.ts';

export interface FleetUserChangesDeps {
  selector: SiteSelector;
  runner: FleetRunner;
  jobs: UserJobs;
}

export class FleetUserChanges {
  readonly #deps: FleetUserChangesDeps;

  constructor(deps: FleetUserChangesDeps) {
    this.#deps = deps;
  }

  async create(
    selection: SiteSelection,
    user: NewUser,
    actor: string,
  ): Promise<FleetResultsAndErrors<UserCreationJobResult>> {
    refuseInvalidUser(user);
    const { sites, errors } = await this.#select(selection);
    return this.#run(this.#deps.jobs.createUser, { [ALL_SITES]: user }, sites, actor, errors);
  }

  createEach(
    users: InputsByFileRow<NewUser>,
    items: readonly FleetSite[],
    actor: string,
  ): Promise<FleetResultsAndErrors<UserCreationJobResult>> {
    return this.#run(this.#deps.jobs.createUser, users, items, actor);
  }

  async setAdminPassword(
    selection: SiteSelection,
    password: string,
    actor: string,
  ): Promise<FleetResultsAndErrors<SiteJobResult>> {
    refuseInvalidUser({ password });
    const { sites, errors } = await this.#select(selection);
    return this.#run(this.#deps.jobs.setAdminPassword, { [ALL_SITES]: { password } }, sites, actor, errors);
  }

  async #select(selection: SiteSelection): Promise<SelectedSites> {
    refuseEmptySelection(selection);
    return this.#deps.selector.select(selection);
  }

  #run<Input, Result>(
    kind: JobKind<Input, Result>,
    input: Input,
    sites: readonly FleetSite[],
    requestedBy: string,
    errors: readonly ItemError[] = [],
  ): Promise<FleetResultsAndErrors<Result>> {
    return this.#deps.runner.wait(kind, { input, sites, errors, requestedBy });
  }
}

/** Throws if no site is named. Elsewhere an empty selection means all sites, which is too dangerous for a change. */
function refuseEmptySelection({ sites, tags, clients }: SiteSelection): void {
  if ([sites, tags, clients].some((refs) => refs?.length)) return;
  throwFieldError('sites', 'must name at least one site if tags and clients are empty');
}
