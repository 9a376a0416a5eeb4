export declare class Daemons {
    #private;
    constructor();
    /** Resolves once `isReady` holds of what the daemon wrote so far; rejects where it ends before. */
    start(name: string, command: string[], env: NodeJS.ProcessEnv, isReady: (output: string) => boolean): Promise<void>;
    untilStopped(): Promise<void>;
}
