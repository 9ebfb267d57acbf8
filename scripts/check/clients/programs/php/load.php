<?php

/**
 * Loads every class of a generated client in one process, which finds what does not compile and what does not fit
 * together: load.php <lib folder>. Whatever PHP says against it is a fault.
 */

error_reporting(E_ALL);
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});

$files = [];
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($argv[1])) as $file) {
    if ($file->getExtension() === 'php') {
        $files[$file->getBasename('.php')] = $file->getPathname();
    }
}
spl_autoload_register(static function (string $class) use ($files): void {
    $name = substr($class, strrpos($class, '\\') + 1);
    if (isset($files[$name])) {
        require_once $files[$name];
    }
});
foreach ($files as $path) {
    require_once $path;
}
echo count($files), " files\n";
