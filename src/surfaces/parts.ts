import type { FieldNames } from '../http/errors.ts';
import type { Surface } from '../http/pipeline.ts';

/** What the folder of a part gives to its surface. */
export interface Part<Services, Context, Handlers = object> {
  routes: (services: Services, context: Context) => Handlers;
  /** Where the contract calls a field of the domain by another name, spelling apart. */
  fieldNames?: FieldNames;
}

/** Handlers and field names of all parts, by operation. */
export function assembleParts<Services, Context>(
  parts: Record<string, Part<Services, Context>>,
  services: Services,
  context: Context,
): Pick<Surface, 'handlers' | 'fieldNames'> {
  const handlers: Surface['handlers'] = {};
  const fieldNames: Surface['fieldNames'] = {};
  for (const { routes, fieldNames: names } of Object.values(parts)) {
    const own = routes(services, context);
    Object.assign(handlers, own);
    if (names) for (const id of Object.keys(own)) fieldNames[id] = names;
  }
  return { handlers, fieldNames };
}
