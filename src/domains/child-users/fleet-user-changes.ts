import type { JobKind } from '../../queue/index.ts';
import type { ItemError } from '../../shared/item-error.ts';
import { throwFieldError } from '../../shared/field-errors.ts';
import {
  refuseEmptySelection,
  type SelectedSites,
  type SiteSelection,
  type SiteSelector,
} from '../fleet-reads/index.ts';
import type { FleetResultsAndErrors, FleetRunner, FleetSite } from '../jobs/index.ts';
import type { SiteJobResult } from '../sites/index.ts';
import { refuseInvalidUser, type NewUser } from './child-user.ts';
import { ALL_SITES, type UserCreationJobResult, type InputsByFileRow, type UserJobs } from './user.jobs.ts';
import type { Requester } from '../../shared/requester.ts';

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
    requestedBy: Requester,
  ): Promise<FleetResultsAndErrors<UserCreationJobResult>> {
    refuseInvalidUser(user);
    const { sites, errors } = await this.#select(selection);
    return this.#run(this.#deps.jobs.createUser, { [ALL_SITES]: user }, sites, requestedBy, errors);
  }

  createEach(
    users: InputsByFileRow<NewUser>,
    items: readonly FleetSite[],
    requestedBy: Requester,
  ): Promise<FleetResultsAndErrors<UserCreationJobResult>> {
    return this.#run(this.#deps.jobs.createUser, users, items, requestedBy);
  }

  async setAdminPassword(
    selection: SiteSelection,
    password: string,
    requestedBy: Requester,
  ): Promise<FleetResultsAndErrors<SiteJobResult>> {
    refuseInvalidUser({ password });
    const { sites, errors } = await this.#select(selection);
    return this.#run(this.#deps.jobs.setAdminPassword, { [ALL_SITES]: { password } }, sites, requestedBy, errors);
  }

  async #select(selection: SiteSelection): Promise<SelectedSites> {
    refuseEmptySelection(selection);
    const selected = await this.#deps.selector.select(selection);
    if (selected.sites.length + selected.errors.length === 0)
      throwFieldError('sites', 'selects no site: the tags or clients have none');
    return selected;
  }

  #run<Input, Result>(
    kind: JobKind<Input, Result>,
    input: Input,
    sites: readonly FleetSite[],
    requestedBy: Requester,
    errors: readonly ItemError[] = [],
  ): Promise<FleetResultsAndErrors<Result>> {
    return this.#deps.runner.wait(kind, { input, sites, errors, requestedBy });
  }
}
