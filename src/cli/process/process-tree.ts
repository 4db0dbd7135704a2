import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessTree {
  readonly isAlive: () => boolean;
  readonly send: (signal: NodeJS.Signals) => void;
}

export interface ProcessControl {
  readonly pid: number;
  readonly os: string;
  readonly kill: (pid: number, signal: NodeJS.Signals | 0) => boolean;
}

/** The processes of a group of its own, by the process that leads it. */
export function groupOf(leader: number, control: ProcessControl): ProcessTree {
  return {
    isAlive: () => sendTo(-leader, 0, control),
    send: (signal) => void sendTo(-leader, signal, control),
  };
}

/** The descendants of a process that shares our process group, orphans among them included. */
export function treeOf(root: number, control: ProcessControl): ProcessTree {
  if (control.os === 'win32') return windowsTreeOf(root, control);
  const started = processes(control).find(({ pid }) => pid === root)?.started;
  const members = (): readonly number[] => membersOf(root, started, control);
  return {
    isAlive: () => members().length > 0,
    send: (signal) => {
      for (const pid of members()) sendTo(pid, signal, control);
    },
  };
}

/** Windows has one signal, which ends a process at once. */
function windowsTreeOf(root: number, control: ProcessControl): ProcessTree {
  return {
    isAlive: () => sendTo(root, 0, control),
    send: () => void spawnSync('taskkill', ['/pid', String(root), '/T', '/F']),
  };
}

function sendTo(pid: number, signal: NodeJS.Signals | 0, { kill }: ProcessControl): boolean {
  try {
    return kill(pid, signal);
  } catch {
    return false; // it has ended meanwhile
  }
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Ticks since the machine started; where unknown, orphans are not searched. */
  readonly started?: number;
}

function membersOf(
  root: number,
  started: number | undefined,
  control: ProcessControl,
): readonly number[] {
  const all = processes(control);
  const members = all
    .filter(({ pid }) => pid === root)
    .concat(orphansIn(all, started, control.pid));
  for (const { pid } of members) members.push(...all.filter(({ parent }) => parent === pid));
  return [...new Set(members.map(({ pid }) => pid))];
}

/**
 * Orphans of the command: younger than it, in our group, their parent outside. Others in the group are
 * older (what started us) or have their parent in it or in the shell (a pipeline).
 */
function orphansIn(
  all: readonly Process[],
  since: number | undefined,
  ownPid: number,
): readonly Process[] {
  const own = all.find(({ pid }) => pid === ownPid);
  if (own === undefined || since === undefined) return [];
  const group = all.filter((other) => other.group === own.group);
  const inside = new Set([...group.map(({ pid }) => pid), own.parent]);
  return group.filter(({ parent, started = 0 }) => started >= since && !inside.has(parent));
}

/** From /proc on Linux, where ps(1) may not be installed. */
function processes({ os }: ProcessControl): readonly Process[] {
  if (os === 'linux') return readdirSync('/proc').flatMap(processIn);
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent, group, state = 'Z'] = line.trim().split(/\s+/);
    if (state.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group) }];
  });
}

/** An entry of /proc, see proc_pid_stat(5); a zombie has ended. */
function processIn(entry: string): readonly Process[] {
  if (!/^\d+$/.test(entry)) return [];
  try {
    // The name is in parentheses and may contain any of them.
    const [, rest = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' '); // the third of the page is the first here
    if (fields[0] === 'Z') return [];
    const [parent = 0, group = 0, started = 0] = [fields[1], fields[2], fields[19]].map(Number);
    return [{ pid: Number(entry), parent, group, started }];
  } catch {
    return []; // it has ended meanwhile
  }
}
