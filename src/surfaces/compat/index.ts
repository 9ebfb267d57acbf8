import { basePathOf, memoize, type Contract, type LocatedOperation, type PathItem } from '../../contract/index.ts';
import { readCredential } from '../../http/credentials.ts';
import type { UntranslatedRequest, RequestTranslation, RequestTranslator } from '../../http/request-translation.ts';
import type { Clock } from '../../shared/clock.ts';
import { PathRouter, fillPath } from './path-router.ts';
import { CatalogueTranslator } from './catalogue-translator.ts';
import { RequestAndResponseTranslation } from './request-and-response-translation.ts';
import { createOperationPlan, rowsOfOperation, type OperationPlan } from './operation-plan.ts';
import { ErrorTranslator } from './error-translator.ts';
import type { SurfaceName } from '../generated-files.ts';
import { ADDRESS_ROWS, FIELD_ROWS, MAINWP_MOUNT_PATHS, OPERATION_ROWS, ERROR_ROWS } from './table/index.ts';

export interface CompatOptions {
  contracts: Readonly<Record<SurfaceName, Contract>>;
  publicUrl: string;
  clock: Clock;
}

const SURFACES = ['abilities', 'v2'] as const;

export function createCompatTranslator({ contracts, publicUrl, clock }: CompatOptions): RequestTranslator {
  const address = createUrlTranslator(contracts, publicUrl);
  const refusals = new ErrorTranslator(ERROR_ROWS);
  const abilityRows = (name: string): ReturnType<typeof rowsOfOperation> =>
    rowsOfOperation(OPERATION_ROWS, 'abilities', name);
  const catalogue = new CatalogueTranslator({ rowsOf: abilityRows, translateUrl: address });
  const catalogued = (body: unknown): unknown => catalogue.translate(body);
  const mounts = SURFACES.map((surface) => {
    const contract = contracts[surface];
    const plans = new Map<string, OperationPlan>();
    const planFor = (place: LocatedOperation): OperationPlan => {
      const { operationId } = place.operation;
      const plan =
        plans.get(operationId) ??
        createOperationPlan(
          { contract, surface, rows: OPERATION_ROWS, fields: FIELD_ROWS, translateUrl: address },
          place,
        );
      plans.set(operationId, plan);
      return plan;
    };
    return {
      surface,
      prefix: MAINWP_MOUNT_PATHS[surface],
      base: basePathOf(contract),
      addresses: pathRouterOf(surface)(contract),
      planFor,
    };
  });
  return {
    translate: (request: UntranslatedRequest): RequestTranslation | null => {
      const mount = mounts.find(({ prefix }) => isUnder(prefix, request.url));
      if (!mount) return null;
      const { surface, prefix, base, addresses, planFor } = mount;
      const at = request.url.indexOf('?');
      const path = request.url.slice(prefix.length, at < 0 ? undefined : at);
      const asked = at < 0 ? null : request.query();
      const match = addresses.find(path);
      const ours = match ? fillPath(match.route.path, match.parameters) : path;
      const verb = effectiveMethod(request, asked);
      const { place, method } = findOperation(match?.route.target ?? null, verb);
      const search = at < 0 ? '' : request.url.slice(at);
      const plan = place && planFor(place);
      const isCatalogue = place !== null && surface === 'abilities' && place.item['x-ability'] === undefined;
      return new RequestAndResponseTranslation(
        {
          surface,
          method,
          url: base + (match ? ours : unmappedPath(surface, path)) + search,
          hasBearer: readCredential(request.headers.authorization)?.scheme === 'bearer',
          isFirstParameterNumeric: /^\d+$/.test(match?.parameters[0] ?? ''),
          plan,
          errorTranslator: refusals,
          translateCatalogue: isCatalogue ? catalogued : null,
          translateUrl: address,
          clock,
        },
        asked ?? (plan?.defaults.length || plan?.paged ? {} : null),
      );
    },
  };
}

const isUnder = (prefix: string, url: string): boolean =>
  url.startsWith(prefix) && (url.length === prefix.length || '/?'.includes(url.charAt(prefix.length)));

/**
 * Returns the path for an address that MainWP Dashboard does not have. It must not match a path of this service. In v2
 * it cannot, because all v2 paths of this service are known addresses. The address of an unknown ability could by
 * chance, so it is replaced.
 */
const unmappedPath = (surface: SurfaceName, path: string): string => (surface === 'v2' ? path : '/nowhere');

const pathRouterOf = (surface: SurfaceName): ((contract: Contract) => PathRouter<PathItem>) =>
  surface === 'v2' ? v2Router : abilityRouter;

const v2Router = memoize((contract: Contract) => createPathRouter(contract, 'v2', (path) => path));
const abilityRouter = memoize((contract: Contract) =>
  createPathRouter(contract, 'abilities', (path) =>
    path.startsWith('/svc/') ? `/abilities/mainwp/${path.slice(5)}` : null,
  ),
);

function createPathRouter(
  contract: Contract,
  surface: SurfaceName,
  addressOf: (path: string) => string | null,
): PathRouter<PathItem> {
  const addresses = new PathRouter<PathItem>();
  const itemAt = new Map(
    Object.entries(contract.paths).map(([path, item]) => [withoutParameterNames(path), { path, item }]),
  );
  for (const row of ADDRESS_ROWS) {
    if (row.surface !== surface) continue;
    const known =
      itemAt.get(withoutParameterNames(row.ours)) ??
      itemAt.get(withoutParameterNames(matchingContractPath(contract, row.ours)));
    addresses.add(row.theirs, { path: row.ours, target: known?.item ?? {} });
  }
  for (const [path, item] of Object.entries(contract.paths)) {
    const address = addressOf(path);
    if (address !== null) addresses.add(address, { path, target: item });
  }
  return addresses;
}

const withoutParameterNames = (path: string): string => path.replace(/\{[^}]+\}/g, '{}');

function matchingContractPath(contract: Contract, path: string): string {
  const segments = path.split('/');
  return (
    Object.keys(contract.paths).find((each) => {
      const own = each.split('/');
      return own.length === segments.length && own.every((part, at) => part.startsWith('{') || part === segments[at]);
    }) ?? path
  );
}

const OVERRIDABLE_METHODS = /^(GET|PUT|PATCH|DELETE)$/;

function effectiveMethod({ method, headers }: UntranslatedRequest, query: Record<string, unknown> | null): string {
  if (method !== 'POST') return method;
  const wanted = query?.['_method'] ?? headers['x-http-method-override'];
  const verb = typeof wanted === 'string' ? wanted.toUpperCase() : '';
  return OVERRIDABLE_METHODS.test(verb) ? verb : method;
}

function findOperation(item: PathItem | null, method: string): { place: LocatedOperation | null; method: string } {
  if (!item) return { place: null, method };
  const asked = (method === 'HEAD' ? 'GET' : method).toLowerCase() as 'get';
  const [verb, served] = item[asked]
    ? [asked, method]
    : /^(PUT|PATCH)$/.test(method) && item.post
      ? (['post', 'POST'] as const)
      : [null, method];
  const operation = verb && item[verb];
  if (!operation) return { place: null, method };
  const id = operation.operationId.split('__')[0] ?? operation.operationId;
  return { place: { path: '', verb, item, operation, id }, method: served };
}

function createUrlTranslator(contracts: CompatOptions['contracts'], publicUrl: string): (text: string) => string {
  const v2 = publicUrl + basePathOf(contracts.v2);
  const abilities = publicUrl + basePathOf(contracts.abilities);
  return (text) => {
    if (isUnder(v2, text)) return publicUrl + MAINWP_MOUNT_PATHS.v2 + text.slice(v2.length);
    if (!isUnder(abilities, text)) return text;
    const rest = text.slice(abilities.length).replace('=svc-', '=mainwp-').replace('/svc-', '/mainwp-');
    const begin = publicUrl + MAINWP_MOUNT_PATHS.abilities;
    if (rest.startsWith('/categories')) return begin + rest;
    return `${begin}/abilities${rest.replace(/^\/svc\//, '/mainwp/')}`;
  };
}
