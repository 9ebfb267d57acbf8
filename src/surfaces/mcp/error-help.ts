export interface ErrorBody {
  code: string;
  message: string;
  data?: Record<string, unknown>;
}

const HELP_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Correct the input. describe_operation returns its schema.',
  403: 'This credential does not have the permission. Ask the user for another credential.',
  404: 'Search for the record with an operation that lists or counts.',
  409: 'The current state does not allow this call. Read the record first.',
  412: 'The record has changed in the meantime. Read it again.',
  413: 'Send less data per call.',
  429: 'Wait for the number of seconds in retry_after_seconds.',
  502: 'The response of the site cannot be used. data.layer and data.reason give the details.',
  503: 'Try again later. If the error concerns a site, check-site-v1 checks whether the site responds.',
};

export const helpFor = ({ data }: ErrorBody): string =>
  HELP_BY_STATUS[Number(data?.['status'])] ??
  'An internal error occurred in the service. Its log contains the details.';
