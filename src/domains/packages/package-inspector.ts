import { packageRefused, type PackageKind, type PackageRef } from './package.ts';
import { readItemHeader, readReadmeRequirements, type ItemHeader } from './package-headers.ts';
import { readZip, type ZipContent, type ZipFile } from './zip-reader.ts';

export interface InspectedPackage extends ZipContent {
  /** The only folder at the top of the zip. */
  folder: string;
  mainFile: string;
  header: ItemHeader;
}

/**
 * Inspects a zip before any site gets it: the child plugin answers `SUCCESS` to every zip that it could unpack, and a
 * zip without the plugin deletes the installed one. Throws `svc_package_refused`.
 */
export async function inspectZip(zip: Buffer, wanted: PackageRef): Promise<InspectedPackage> {
  const content = await readZip(zip);
  const folder = onlyFolder(content.topFolders);
  const { mainFile, header } = mainFileOf(content.files, folder, wanted);
  if (folder !== wanted.slug && !isNamedLike(folder, mainFile, wanted))
    throw packageRefused('other_item', `The zip contains another ${wanted.kind}: its folder is named differently.`);
  if (header.version !== wanted.version)
    throw packageRefused('other_version', `The zip contains another version of the ${wanted.kind}.`);
  return { ...content, folder, mainFile, header };
}

function onlyFolder(folders: ReadonlySet<string>): string {
  if (folders.size === 0) throw packageRefused('no_item', 'The zip is empty.');
  if (folders.has('')) throw packageRefused('no_folder', 'The zip has files outside of a folder.');
  if (folders.size > 1) throw packageRefused('several_folders', 'The zip has more than one folder at its top.');
  return [...folders][0] ?? '';
}

function mainFileOf(
  files: readonly ZipFile[],
  folder: string,
  { kind, slug, version }: PackageRef,
): { mainFile: string; header: ItemHeader } {
  const candidates = files.flatMap((file) => {
    const name = file.path.slice(folder.length + 1);
    const isCandidate = kind === 'theme' ? name === 'style.css' : /^[^/]+\.php$/.test(name);
    const header = isCandidate ? readItemHeader(kind, file) : null;
    return header ? [{ mainFile: name, header }] : [];
  });
  const main =
    candidates.find(({ mainFile }) => mainFile === `${slug}.php`) ??
    candidates.find(({ header }) => header.version === version) ??
    candidates[0];
  if (!main) throw packageRefused('no_item', `The zip contains no ${kind}.`);
  return { ...main, header: withReadme(main.header, files, folder, kind) };
}

function withReadme(header: ItemHeader, files: readonly ZipFile[], folder: string, kind: PackageKind): ItemHeader {
  const readme = files.find(({ path }) => path.toLowerCase() === `${folder}/readme.txt`.toLowerCase());
  if (kind === 'theme' || !readme) return header;
  const { requiresWordpress = '', requiresPhp = '' } = readReadmeRequirements(readme);
  return {
    ...header,
    requiresWordpress: header.requiresWordpress || requiresWordpress,
    requiresPhp: header.requiresPhp || requiresPhp,
  };
}

/**
 * True for a folder such as `forms-main` or `forms-1.2`, if its main file shows that it is the plugin `forms`. For a
 * theme, the name of the folder is enough.
 */
const isNamedLike = (folder: string, mainFile: string, { kind, slug }: PackageRef): boolean =>
  folder.toLowerCase().startsWith(`${slug.toLowerCase()}-`) && (kind === 'theme' || mainFile === `${slug}.php`);
