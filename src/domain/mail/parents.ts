/**
 * Owns who started whom: child session → parent, an identity or the pending marker of a protocol session without one (MSG-80). Durable:
 * written before it holds.
 */
import { z } from 'zod';
import type { Database } from '../../platform/database/index.ts';

const row = z.object({ child: z.string(), parent: z.string() });

export interface Parents {
  set(child: string, parent: string): void;
  of(child: string): string | undefined;
  childrenOf(parent: string): string[];
  /** What was `from`'s is `to`'s; how many. */
  relink(from: string, to: string): number;
  remove(child: string): void;
}

export function createParents(database: Database): Parents {
  const parents = new Map(
    database
      .all('SELECT child, parent FROM parents')
      .map((read) => row.parse(read))
      .map(({ child, parent }) => [child, parent]),
  );
  const childrenOf = (parent: string) => [...parents].flatMap(([child, own]) => (own === parent ? [child] : []));

  return {
    set(child, parent) {
      database.run(
        'INSERT INTO parents (child, parent) VALUES (?, ?) ON CONFLICT (child) DO UPDATE SET parent = excluded.parent',
        [child, parent],
      );
      parents.set(child, parent);
    },
    of: (child) => parents.get(child),
    childrenOf,
    relink(from, to) {
      const children = childrenOf(from);
      if (children.length === 0) return 0;
      database.run('UPDATE parents SET parent = ? WHERE parent = ?', [to, from]);
      for (const child of children) parents.set(child, to);
      return children.length;
    },
    remove(child) {
      if (!parents.has(child)) return;
      database.run('DELETE FROM parents WHERE child = ?', [child]);
      parents.delete(child);
    },
  };
}
