import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { pageRoutes } from './page-routes.ts';
import { postRoutes } from './post-routes.ts';

export { fieldNames } from './input.ts';

export const routes = (needs: RequiredServices<'content'>): HandlersOf<'content'> => ({
  ...postRoutes(needs),
  ...pageRoutes(needs),
});
