import type { addServiceParts } from './service-parts.ts';

/** Services of all parts, by part. */
export type Services = ReturnType<typeof addServiceParts>;

/** Services that the routes of one part use. */
export type RequiredServices<Names extends keyof Services> = Pick<Services, Names>;
