export interface ErrorBody {
  code: string;
  message: string;
  data?: Record<string, unknown>;
}

const HELP_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Mend the input; describe_ability shows its schema.',
  403: 'This credential may not do that. Ask its owner for another one.',
  404: 'Look it up with an ability that lists or counts.',
  409: 'The state of things does not allow it; read it first.',
  412: 'It was changed meanwhile; read it again.',
  413: 'Send less at a time.',
  429: 'Wait as long as retry_after_seconds says.',
  502: 'The site answered in a way that cannot be used; data.layer and data.reason say more.',
  503: 'Try again later. If it concerns a site, check-site-v1 looks whether that answers.',
};

export const helpFor = ({ data }: ErrorBody): string =>
  HELP_BY_STATUS[Number(data?.['status'])] ?? 'Something went wrong in the service itself; its log knows more.';
