import type { RequiredServices } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { pages } from './pages.ts';
import { posts } from './posts.ts';

export { fieldNames } from './input.ts';

export const routes = (needs: RequiredServices<'content'>): HandlersOf<'content'> => ({
  ...posts(needs),
  ...pages(needs),
});
