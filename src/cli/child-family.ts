import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';

/** A process and everything that it has started. */
export interface Family {
  readonly isAlive: () => boolean;
  readonly send: (signal: NodeJS.Signals) => void;
}

/** The process group that a process leads. */
export function groupOf(leader: number): Family {
  return {
    isAlive: () => sendTo(-leader, 0),
    send: (signal) => {
      sendTo(-leader, signal);
    },
  };
}

/** The descendants of a process that shares our process group, orphans among them included. */
export function treeOf(root: number): Family {
  if (platform() === 'win32') return windowsTreeOf(root);
  const started = processes().find(({ pid }) => pid === root)?.started;
  const members = (): readonly number[] => membersOf(root, started);
  return {
    isAlive: () => members().length > 0,
    send: (signal) => {
      for (const pid of members()) sendTo(pid, signal);
    },
  };
}

/** Windows has one signal, which ends a process at once. */
function windowsTreeOf(root: number): Family {
  return {
    isAlive: () => sendTo(root, 0),
    send: () => {
      spawnSync('taskkill', ['/pid', String(root), '/T', '/F']);
    },
  };
}

/** Whether there was somebody to send it to. */
function sendTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false; // it has ended meanwhile
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Ticks since the machine's start; where it isn't known, orphans are not looked for. */
  readonly started?: number;
}

function membersOf(root: number, started: number | undefined): readonly number[] {
  const all = processes();
  const members = all.filter(({ pid }) => pid === root).concat(orphansIn(all, started));
  for (const { pid } of members) members.push(...all.filter(({ parent }) => parent === pid));
  return [...new Set(members.map(({ pid }) => pid))];
}

/**
 * What the command left when it ended: younger than it, in our group, its parent outside. Others in
 * the group are older (what started us) or have their parent in it or in the shell (a pipeline).
 */
function orphansIn(all: readonly Process[], since: number | undefined): readonly Process[] {
  const own = all.find(({ pid }) => pid === process.pid);
  if (own === undefined || since === undefined) return [];
  const group = all.filter((other) => other.group === own.group);
  const inside = new Set([...group.map(({ pid }) => pid), own.parent]);
  return group.filter(({ parent, started = 0 }) => started >= since && !inside.has(parent));
}

/** All that run: as Linux shows them, elsewhere as ps(1) does. */
function processes(): readonly Process[] {
  if (platform() === 'linux') return readdirSync('/proc').flatMap(processIn);
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, group, state = 'Z'] = line.trim().split(/\s+/);
    if (state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  });
}

/** Of an entry of /proc, see proc_pid_stat(5); one that only waits to be looked at has ended. */
function processIn(entry: string): readonly Process[] {
  if (!/^\d+$/.test(entry)) return [];
  try {
    // The name stands in parentheses and may hold any of them.
    const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' '); // the third of the page is the first here
    if (fields[0] === 'Z') return [];
    const [parent, group, started] = [fields[1], fields[2], fields[19]].map(Number);
    if (parent === undefined || group === undefined) return [];
    return [{ pid: Number(entry), parent, group, ...(started !== undefined && { started }) }];
  } catch {
    return []; // it has ended meanwhile
  }
}
