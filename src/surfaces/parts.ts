import type { FieldNames } from '../http/errors.ts';
import type { Surface } from '../http/pipeline.ts';

export interface Part<Services, Context, Handlers = object> {
  routes: (services: Services, context: Context) => Handlers;
  fieldNames?: FieldNames;
}

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
