import type { addServiceParts } from './service-parts.ts';

export type Services = ReturnType<typeof addServiceParts>;

export type RequiredServices<Names extends keyof Services> = Pick<Services, Names>;
