export declare const ROOT: string;
export declare const BUNDLE: string;
export declare function bundle(entry: string, outfile: string): Promise<void>;
export declare function buildAll(): Promise<void>;
