import { toldBySite } from './told-by-site.ts';

/** Checks of the site from outside, by Sucuri. */
export const scanner1 = toldBySite({
  name: 'scanner1',
  action: 'checks',
  fields: ['status', 'webtrust'],
  kind: 'scanner1',
  itemOf: ({ status, webtrust }) => ({ status, webtrust }),
});
