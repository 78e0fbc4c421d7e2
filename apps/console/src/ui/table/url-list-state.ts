import {
  type SearchParams,
  useSearchParams,
  useSetSearchParams,
  useSetSearchParamsAfterPaint,
} from '../filters/search-params.ts';

export const pageSizes = [20, 50, 100] as const;
const DEFAULT_SIZE = 50;

/** State of a list in the URL: keyword, filters, order and page size. */
export interface ListInAddress {
  now: Readonly<SearchParams>;
  show: (search: Readonly<SearchParams>) => void;
}

/** State of a list that a table and its filter bar need. */
export interface ListView {
  page: number;
  size: number;
  /** Sort column with `-` before it for descending; undefined for the server's default. */
  order: string | undefined;
  /** True if the user chose the order. */
  ordered: boolean;
  keyword: string;
  /** True if a filter or the keyword narrows the list. */
  narrowed: boolean;
  setPage: (page: number) => void;
  setSize: (size: number) => void;
  setOrder: (order: string | undefined) => void;
  setKeyword: (keyword: string) => void;
  clear: () => void;
  /** Absent for a list whose state is not in the URL. */
  inAddress?: ListInAddress;
}

export interface ListState<Filter extends string> extends ListView {
  filters: Readonly<Record<Filter, string | undefined>>;
  setFilter: (name: Filter, value: string | undefined) => void;
}

/**
 * Returns the state of a list, which is kept in the URL: a link shows the same rows, and Back works.
 * @param filterNames search parameters that filter the list
 * @param defaultOrder order without a sort parameter
 */
export function useListState<const Filter extends string = never>(
  filterNames: readonly Filter[],
  defaultOrder?: string,
): ListState<Filter> {
  const search = useSearchParams();
  const set = useSetSearchParamsAfterPaint();
  // Not deferred, because a second filter value builds on the first.
  const setNow = useSetSearchParams();
  const narrow = (changes: Record<string, string | undefined>) => setNow({ ...changes, page: undefined });
  const own = ['keyword', 'order', 'size', ...filterNames];
  const filters = Object.fromEntries(filterNames.map((name) => [name, search[name]])) as ListState<Filter>['filters'];
  const keyword = search['keyword'] ?? '';
  return {
    page: wholeNumber(search['page'], 1),
    size: Math.min(100, wholeNumber(search['size'], DEFAULT_SIZE)),
    order: search['order'] ?? defaultOrder,
    ordered: search['order'] !== undefined,
    keyword,
    filters,
    narrowed: keyword !== '' || filterNames.some((name) => search[name] !== undefined),
    setPage: (page) => set({ page: page === 1 ? undefined : String(page) }, 'push'),
    setSize: (size) => set({ size: size === DEFAULT_SIZE ? undefined : String(size), page: undefined }),
    setOrder: (order) => set({ order: order === defaultOrder ? undefined : order, page: undefined }),
    setKeyword: (next) => narrow({ keyword: next }),
    setFilter: (name, value) => narrow({ [name]: value }),
    clear: () => narrow(Object.fromEntries(['keyword', ...filterNames].map((name) => [name, undefined]))),
    inAddress: {
      now: Object.fromEntries(Object.entries(search).filter(([name]) => own.includes(name))),
      show: (next) =>
        set({ ...Object.fromEntries([...own, 'page'].map((name) => [name, undefined])), ...next }, 'push'),
    },
  };
}

function wholeNumber(text: string | undefined, fallback: number): number {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 ? value : fallback;
}

/** Returns the value if it is one of the options, for filters whose values the contract defines. */
export function oneOf<const T extends string>(value: string | undefined, options: readonly T[]): T | undefined {
  return options.find((option) => option === value);
}
