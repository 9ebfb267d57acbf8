import type { GeneratorChain } from '../chain.ts';
import { go } from './go.ts';
import { heyApi } from './hey-api.ts';
import { java } from './java.ts';
import { kotlin } from './kotlin.ts';
import { oapiCodegen } from './oapi-codegen.ts';
import { ogen } from './ogen.ts';
import { openapiPythonClient } from './openapi-python-client.ts';
import { orval } from './orval.ts';
import { php } from './php.ts';
import { pythonChain } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { typescriptAxios } from './typescript-axios.ts';
import { typescriptFetch } from './typescript-fetch.ts';

/** The order is that of the table. */
export const CHAINS: readonly GeneratorChain[] = [
  pythonChain,
  php,
  go,
  typescriptFetch,
  typescriptAxios,
  java,
  kotlin,
  ruby,
  rust,
  oapiCodegen,
  ogen,
  openapiPythonClient,
  heyApi,
  orval,
];
