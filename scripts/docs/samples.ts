/** Code samples of a call. They read `SITEFLEET_URL` and `SITEFLEET_KEY` from the environment. */
import type { DocsExampleCall } from './example-call.ts';
import { jsLiteral, phpLiteral, pythonLiteral } from './literals.ts';

export interface Sample {
  label: string;
  language: string;
  code: string;
}

export const samplesOf = (call: DocsExampleCall): Sample[] => [
  { label: 'curl', language: 'sh', code: curlOf(call) },
  { label: 'TypeScript', language: 'ts', code: typescriptOf(call) },
  { label: 'Python', language: 'python', code: pythonOf(call) },
  { label: 'PHP', language: 'php', code: phpOf(call) },
];

const single = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const addressOf = ({ path, query }: DocsExampleCall): string => path + (query ? `?${query}` : '');
const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

function curlOf(call: DocsExampleCall): string {
  const { method, body, form, returnsFile } = call;
  // curl uses POST by itself if data is sent.
  const isPlain = method === 'GET' || (method === 'POST' && (body !== null || form !== null));
  const lines = [
    `curl ${isPlain ? '' : `-X ${method} `}${call.query.includes('[') ? '-g ' : ''}"$SITEFLEET_URL${addressOf(call)}"`,
    `-H "Authorization: Bearer $SITEFLEET_KEY"`,
  ];
  if (body !== null) lines.push(`-H 'Content-Type: application/json'`, `-d ${single(JSON.stringify(body, null, 2))}`);
  for (const { name, value, file } of form ?? [])
    lines.push(`-F ${single(file ? `${name}=@${file.name};type=${file.mediaType}` : `${name}=${value}`)}`);
  if (returnsFile) lines.push('-OJ');
  return lines.join(' \\\n  ');
}

export function typescriptOf(call: DocsExampleCall): string {
  const { id, isAbility, returnsFile, pathValues, queryValues, body, formValues, form, input = {} } = call;
  const binaryFiles = form?.filter(({ file }) => file?.isBinary) ?? [];
  const routeInput = {
    ...(Object.keys(pathValues).length > 0 && { path: pathValues }),
    ...(Object.keys(queryValues).length > 0 && { query: queryValues }),
    ...(body !== null && { body }),
    ...(formValues !== null && { body: formValues }),
  };
  const passed = isAbility ? input : routeInput;
  let parameters = Object.keys(passed as object).length > 0 ? `, ${jsLiteral(passed)}` : '';
  for (const { name, value } of binaryFiles)
    parameters = parameters.replace(`${name}: ${jsLiteral(value)}`, `${name}: await openAsBlob(${jsLiteral(value)})`);
  const method = isAbility ? 'ability' : returnsFile ? 'file' : 'route';
  return [
    ...(binaryFiles.length > 0 ? [`import { openAsBlob } from 'node:fs';`] : []),
    `import { createClient } from '@sitefleet/sdk';`,
    '',
    'const fleet = createClient({ url: process.env.SITEFLEET_URL!, key: process.env.SITEFLEET_KEY! });',
    `const response = await fleet.${method}('${id}'${parameters});`,
  ].join('\n');
}

function pythonOf(call: DocsExampleCall): string {
  const { method, path, body, form, query, returnsFile } = call;
  const fields = form?.filter(({ file }) => !file) ?? [];
  const files = (form ?? []).flatMap(({ name, file }) => (file ? [`"${name}": open("${file.name}", "rb")`] : []));
  const passed = [
    `f"{os.environ['SITEFLEET_URL']}${path}"`,
    `headers={"Authorization": f"Bearer {os.environ['SITEFLEET_KEY']}"}`,
    ...(query ? [`params=${pythonLiteral(pairsOf(query))}`] : []),
    ...(body === null ? [] : [`json=${pythonLiteral(body)}`]),
    ...(fields.length > 0 ? [`data=${pythonLiteral(Object.fromEntries(fields.map((f) => [f.name, f.value])))}`] : []),
    ...(files.length > 0 ? [`files={${files.join(', ')}}`] : []),
    // A call can wait for several checks of a site, or 300 seconds for a job.
    `timeout=${method === 'GET' ? 60 : 330}`,
  ];
  return [
    'import os',
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...passed.map((line) => `    ${indented(line, '    ')},`),
    ')',
    'response.raise_for_status()',
    returnsFile ? 'open("report", "wb").write(response.content)' : 'print(response.json())',
  ].join('\n');
}

function phpOf(call: DocsExampleCall): string {
  const { method, body, form, returnsFile } = call;
  const fields = form?.map(
    ({ name, value, file }) =>
      `'${name}' => ${file ? `new CURLFile('${file.name}', '${file.mediaType}')` : phpLiteral(value)}`,
  );
  const headers = [
    `'Authorization: Bearer ' . getenv('SITEFLEET_KEY')`,
    ...(body === null ? [] : [`'Content-Type: application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`CURLOPT_CUSTOMREQUEST => '${method}'`]),
    `CURLOPT_HTTPHEADER => [${headers.join(', ')}]`,
    ...(body === null ? [] : [`CURLOPT_POSTFIELDS => json_encode(${phpLiteral(body)})`]),
    ...(fields ? [`CURLOPT_POSTFIELDS => [${fields.join(', ')}]`] : []),
    'CURLOPT_RETURNTRANSFER => true',
  ];
  return [
    '<?php',
    `$call = curl_init(getenv('SITEFLEET_URL') . ${phpLiteral(addressOf(call))});`,
    'curl_setopt_array($call, [',
    ...options.map((line) => `    ${indented(line, '    ')},`),
    ']);',
    returnsFile ? `file_put_contents('report', curl_exec($call));` : 'print_r(json_decode(curl_exec($call), true));',
  ].join('\n');
}

/** Query parameters as an object. Repeated keys become a list. */
function pairsOf(query: string): Record<string, string | string[]> {
  const pairs: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const before = pairs[name];
    pairs[name] = before === undefined ? value : [...[before].flat(), value];
  }
  return pairs;
}
