declare module 'postject' {
  /** Adds a resource to an executable file, and changes the 0 behind its fuse to 1. */
  export function inject(
    file: string,
    resource: string,
    data: Buffer,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
