import type { ErrorRow } from './row-types.ts';

/**
 * Error codes that differ from those of MainWP Dashboard in more than the prefix. In all others, `svc_` becomes
 * `mainwp_`.
 */
export const ERROR_ROWS: readonly ErrorRow[] = [
  {
    surface: 'v2',
    ours: 'svc_unauthenticated',
    when: 'no bearer',
    code: 'mainwp_rest_authentication_error',
    note: 'A request without `Authorization: Bearer` returns 401 `mainwp_rest_authentication_error`.',
  },
  {
    surface: 'v2',
    ours: 'svc_unauthenticated',
    code: 'mainwp_rest_authentication_disabled_key',
    note: 'An unknown or disabled key returns 401 `mainwp_rest_authentication_disabled_key`.',
  },
  {
    surface: 'v2',
    ours: 'svc_permission_denied',
    code: 'mainwp_rest_authentication_error',
    status: 401,
    note: 'A key without the required scope returns 401 `mainwp_rest_authentication_error`, not 403.',
  },
  {
    surface: 'abilities',
    ours: 'svc_unauthenticated',
    when: 'run',
    code: 'mainwp_permission_denied',
    note: 'Running an ability without a valid credential returns 401 `mainwp_permission_denied`.',
  },
  {
    surface: 'abilities',
    ours: 'svc_unauthenticated',
    code: 'rest_forbidden',
    note: 'The catalogue without a valid credential returns 401 `rest_forbidden`.',
  },
  {
    surface: 'v2',
    ours: 'rest_invalid_method',
    code: 'rest_no_route',
    status: 404,
    note: 'A method that a route does not have returns 404 `rest_no_route`.',
  },
  {
    surface: 'v2',
    ours: 'svc_module_not_available',
    code: 'rest_no_route',
    status: 404,
    note: 'A route of an inactive module returns 404 `rest_no_route`.',
  },
  {
    surface: 'v2',
    ours: 'svc_site_not_found',
    when: 'by id',
    code: 'mainwp_rest_invalid_site_id',
    note: 'An unknown ID of a site returns 404 `mainwp_rest_invalid_site_id`.',
  },
  {
    surface: 'v2',
    ours: 'svc_site_not_found',
    code: 'mainwp_rest_invalid_site_data',
    note: 'An unknown domain returns 404 `mainwp_rest_invalid_site_data`.',
  },
  {
    surface: 'v2',
    ours: 'svc_client_not_found',
    when: 'by id',
    code: 'mainwp_rest_invalid_client_id',
    note: 'An unknown ID of a client returns 404 `mainwp_rest_invalid_client_id`.',
  },
  {
    surface: 'v2',
    ours: 'svc_client_not_found',
    code: 'mainwp_rest_invalid_client_data',
    note: 'An unknown e-mail address returns 404 `mainwp_rest_invalid_client_data`.',
  },
  {
    surface: 'v2',
    ours: 'svc_tag_not_found',
    code: 'mainwp_rest_invalid_tag_id',
    note: 'An unknown tag returns 404 `mainwp_rest_invalid_tag_id`.',
  },
  {
    surface: 'v2',
    ours: 'svc_cost_not_found',
    code: 'mainwp_rest_invalid_costs_id',
    note: 'An unknown cost returns 404 `mainwp_rest_invalid_costs_id`.',
  },
  {
    surface: 'v2',
    ours: 'svc_request_too_large',
    code: 'mainwp_rest_request_entity_too_large',
    note: 'A batch with too many items returns 413 `mainwp_rest_request_entity_too_large`.',
  },
];
