import { Connection } from './connection.ts';
import type { Route } from './route.ts';

/** The kept connections of one transport: as many as there were requests at the same time. */
export class Connections {
  readonly #idle = new Map<string, Connection[]>();
  readonly #busy = new Set<Connection>();

  /** A kept connection that is free, or a new one; with `fresh`, always a new one. */
  take(route: Route, fresh: boolean): Connection {
    const kept = fresh ? undefined : this.#idle.get(route.key)?.pop();
    const connection = kept ?? new Connection(route);
    this.#busy.add(connection);
    return connection;
  }

  /** Gives a connection back after a complete answer, for the next request of that route. */
  keep(route: Route, connection: Connection): void {
    if (!this.#busy.delete(connection)) return; // closed meanwhile
    const kept = this.#idle.get(route.key);
    if (kept === undefined) this.#idle.set(route.key, [connection]);
    else kept.push(connection);
  }

  /** Ends a connection that is not to be used again. */
  drop(connection: Connection): void {
    this.#busy.delete(connection);
    connection.destroy();
  }

  /** Ends all connections, and the requests under way with them; on request not those that hold no process. */
  closeAll(leavesIdle = false): void {
    const idle = [...this.#idle.values()].flat();
    const ending = leavesIdle ? idle.filter(({ holdsProcess }) => holdsProcess) : idle;
    for (const connection of [...this.#busy, ...ending]) connection.destroy();
    this.#busy.clear();
    this.#idle.clear();
  }
}
