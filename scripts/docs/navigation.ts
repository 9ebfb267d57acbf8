import { GROUPS } from './guides.ts';
import type { DocsPage } from './pages.ts';
import { NAMES, partAddress } from './reference-pages.ts';

export interface NavigationGroup {
  title: string;
  /** Address of the page about the group. */
  address?: string;
  items: { title: string; address: string; isCurrent: boolean }[];
  isOpen: boolean;
}

export interface Navigation {
  label: string;
  groups: NavigationGroup[];
}

export function navigationOf(page: DocsPage, pages: readonly DocsPage[]): Navigation {
  if (page.area === 'guides') return { label: 'Guides', groups: guideGroups(page, pages) };
  const surface = Object.entries(NAMES).find(([name]) => name === page.area);
  if (!surface) return { label: '', groups: [] };
  const [name, label] = surface;
  return { label, groups: partGroups(name, page, pages) };
}

const itemOf = (page: DocsPage, each: DocsPage): NavigationGroup['items'][number] => ({
  title: each.title,
  address: each.address,
  isCurrent: each === page,
});

function guideGroups(page: DocsPage, pages: readonly DocsPage[]): NavigationGroup[] {
  return GROUPS.map((title) => ({
    title,
    items: pages.filter(({ area, group }) => area === 'guides' && group === title).map((each) => itemOf(page, each)),
    isOpen: true,
  })).filter(({ items }) => items.length > 0);
}

/** Lists all parts. Only the part of the current page lists its operations. */
function partGroups(surface: string, page: DocsPage, pages: readonly DocsPage[]): NavigationGroup[] {
  const own = pages.filter(({ area, group }) => area === surface && group !== '');
  return [...new Set(own.map(({ group }) => group))].map((part) => {
    const isOpen = part === page.group;
    const entries = isOpen ? own.filter((each) => each.group === part && each.entry) : [];
    return {
      title: part,
      address: partAddress(surface, part),
      items: entries.map((each) => itemOf(page, each)),
      isOpen,
    };
  });
}
