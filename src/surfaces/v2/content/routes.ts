import type { Needs } from '../../../service/services.ts';
import type { HandlersOf } from '../handlers.ts';
import { pages } from './pages.ts';
import { posts } from './posts.ts';

export { fieldNames } from './input.ts';

export const routes = (needs: Needs<'content'>): HandlersOf<'content'> => ({ ...posts(needs), ...pages(needs) });
