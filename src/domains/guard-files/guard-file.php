<?php
/**
 * Plugin Name: Sitefleet update guard (temporary)
 * Description: Undoes the update or the activation of @FOLDER@ if it breaks the site. It is removed afterwards.
 */
defined( 'ABSPATH' ) || exit;
( static function () {
	$id   = '@ID@';
	$root = 'plugin' === '@KIND@' ? WP_PLUGIN_DIR : WP_CONTENT_DIR . '/themes';
	$live = "$root/@FOLDER@";
	$keep = "$root/.sitefleet-guard-$id"; // WordPress does not list folders whose names begin with a dot.
	$self = __FILE__;
	$main = '@ACTIVATED@'; // Main file of the plugin whose activation is guarded. Empty for an update.

	$delete = static function ( $path ) use ( &$delete ) {
		if ( is_link( $path ) || is_file( $path ) ) {
			return @unlink( $path );
		}
		is_dir( $path ) && @chmod( $path, 0700 );
		foreach ( is_dir( $path ) ? array_diff( scandir( $path ), array( '.', '..' ) ) : array() as $name ) {
			$delete( "$path/$name" );
		}
		return ! is_dir( $path ) || @rmdir( $path );
	};
	$copy = static function ( $from, $to ) use ( &$copy ) {
		if ( is_link( $from ) ) {
			return @symlink( readlink( $from ), $to );
		}
		if ( is_file( $from ) ) {
			return @copy( $from, $to ) && filesize( $from ) === filesize( $to ) && @chmod( $to, fileperms( $from ) & 0777 );
		}
		$mode = fileperms( $from ) & 0777;
		if ( ! @mkdir( $to, 0700 ) ) {
			return false;
		}
		foreach ( array_diff( scandir( $from ), array( '.', '..' ) ) as $name ) {
			if ( ! $copy( "$from/$name", "$to/$name" ) ) {
				return false;
			}
		}
		return @chmod( $to, $mode );
	};
	// Linux moves a folder to another one only if its owner may write to it.
	$move = static function ( $from, $to ) {
		$mode = fileperms( $from ) & 0777;
		return ( $mode & 0200 || @chmod( $from, $mode | 0200 ) ) && @rename( $from, $to ) && ( $mode & 0200 || @chmod( $to, $mode ) );
	};
	// PHP would run the compiled code of the replaced files until it looks at the files again.
	$recompile = static function ( $folder ) use ( &$recompile, $live, $keep ) {
		foreach ( is_dir( $folder ) && ! is_link( $folder ) ? array_diff( scandir( $folder ), array( '.', '..' ) ) : array() as $name ) {
			$recompile( "$folder/$name" );
		}
		if ( '.php' === substr( $folder, -4 ) && function_exists( 'opcache_invalidate' ) ) {
			@opcache_invalidate( str_replace( "$keep/bad/", "$live/", $folder ), true );
		}
	};
	$read = static function () use ( $keep ) {
		$state = json_decode( (string) @file_get_contents( "$keep/state.json" ), true );
		return ( is_array( $state ) ? $state : array() ) + array( 'last' => '', 'made' => false, 'armed' => false, 'restored' => null );
	};
	$save = static function ( $changes ) use ( $keep, $read ) {
		$json = json_encode( $changes + $read(), JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE );
		return false !== @file_put_contents( "$keep/state.new", $json ) && @rename( "$keep/state.new", "$keep/state.json" );
	};
	$is_armed = static function () use ( $main, $keep, $read ) {
		$state = $read();
		return '' === $main ? is_dir( "$keep/old" ) : $state['armed'] && null === $state['restored'];
	};
	$arm = static function () use ( $live, $keep, $copy, $move, $delete ) {
		if ( is_dir( "$keep/old" ) ) {
			return true;
		}
		if ( ! is_dir( $live ) || is_link( $live ) || ! $delete( "$keep/part" ) ) {
			return false;
		}
		return $copy( $live, "$keep/part" ) ? $move( "$keep/part", "$keep/old" ) : $delete( "$keep/part" ) && false;
	};
	$restore = static function ( $why ) use ( $live, $keep, $delete, $move, $recompile, $read, $save ) {
		if ( ! is_dir( "$keep/old" ) ) {
			return null !== $read()['restored'];
		}
		$aside = ! is_dir( $live ) || ( $delete( "$keep/bad" ) && $move( $live, "$keep/bad" ) );
		$back  = $aside && $move( "$keep/old", $live );
		if ( ! $back && ! is_dir( $live ) ) {
			$move( "$keep/bad", $live );
		}
		$recompile( $live );
		$recompile( "$keep/bad" );
		return $back && $save( array( 'restored' => $why + array( 'at' => time() ) ) );
	};
	// The options are read and written past the filters of plugins, which may hide active plugins or be broken.
	$deactivate = static function ( $why ) use ( $main, $is_armed, $read, $save ) {
		global $wpdb;
		if ( ! $is_armed() ) {
			return null !== $read()['restored'];
		}
		$network = is_multisite() ? get_current_network_id() : 0;
		$lists   = array( array( $wpdb->options, 'option_name', 'option_value', 'active_plugins', array() ) );
		if ( $network ) {
			$lists[] = array( $wpdb->sitemeta, 'meta_key', 'meta_value', 'active_sitewide_plugins', array( 'site_id' => $network ) );
		}
		$found = 'asked' === $why['cause'];
		foreach ( $lists as list( $table, $name, $value, $option, $where ) ) {
			$sql  = "SELECT $value FROM $table WHERE $name = '$option'" . ( $where ? " AND site_id = $network" : '' );
			$old  = (string) $wpdb->get_var( $sql );
			$list = array_filter( (array) maybe_unserialize( $old ) );
			$rest = $where ? array_diff_key( $list, array( $main => 0 ) ) : array_values( array_diff( $list, array( $main ) ) );
			if ( count( $rest ) === count( $list ) ) {
				continue;
			}
			if ( 1 !== $wpdb->update( $table, array( $value => serialize( $rest ) ), array( $name => $option, $value => $old ) + $where ) ) {
				return false;
			}
			$found = true;
		}
		wp_cache_delete( 'alloptions', 'options' );
		wp_cache_delete( 'active_plugins', 'options' );
		wp_cache_delete( "$network:active_sitewide_plugins", 'site-options' );
		return $found && $save( array( 'restored' => $why + array( 'at' => time() ) ) );
	};
	if ( '' !== $main ) {
		$restore = $deactivate;
		$arm     = static function () use ( $save ) {
			return $save( array( 'armed' => true ) );
		};
	}
	$remove = static function () use ( $self, $keep, $delete, $read ) {
		$made = $read()['made'];
		// Without this file nothing on the site could delete the copy, so this file is deleted last.
		if ( ! $delete( $keep ) || ! @unlink( $self ) ) {
			return false;
		}
		function_exists( 'opcache_invalidate' ) && @opcache_invalidate( $self, true );
		return ! $made || @rmdir( dirname( $self ) ) || true;
	};
	// A visitor's request must not create the file: it would do so in the folder that a removal is emptying.
	$lock = is_file( "$keep/lock" ) ? @fopen( "$keep/lock", 'r+' ) : false;

	// A request of the service: "<action> <sequence number of 16 digits>", signed with the key of this file.
	$field = static function ( $name ) {
		return isset( $_POST[ $name ] ) && is_string( $_POST[ $name ] ) ? $_POST[ $name ] : '';
	};
	if ( $id === $field( 'sitefleet_guard' )
		&& preg_match( '/^(arm|state|restore|remove) ([0-9]{16})$/D', $field( 'sitefleet_message' ), $part )
		&& preg_match( '/^[0-9a-f]{128}$/D', $field( 'sitefleet_signature' ) ) ) {
		if ( ! function_exists( 'sodium_crypto_sign_verify_detached' ) ) {
			require_once ABSPATH . WPINC . '/sodium_compat/autoload.php';
		}
		$signature = hex2bin( $field( 'sitefleet_signature' ) );
		if ( sodium_crypto_sign_verify_detached( $signature, "sitefleet-guard $id $part[0]", hex2bin( '@PUBLIC_KEY@' ) ) ) {
			ignore_user_abort( true );
			$answer = static function ( $answer ) use ( $id, $live, $is_armed, $read ) {
				clearstatcache();
				$answer += array( 'guard' => $id, 'ok' => false, 'armed' => $is_armed(), 'live' => is_dir( $live ), 'restored' => $read()['restored'], 'now' => time() );
				header( 'Content-Type: text/plain' );
				header( 'Cache-Control: no-store' );
				exit( '<mainwp>' . base64_encode( json_encode( $answer ) ) . '</mainwp>' );
			};
			// The child plugin creates a missing folder with mode 777.
			$mu   = dirname( $self );
			$made = ( fileperms( $mu ) & 0002 ) && 3 === count( scandir( $mu ) );
			if ( $made ) {
				@chmod( $mu, 0755 );
				clearstatcache();
				if ( fileperms( $mu ) & 0002 ) {
					$answer( array( 'error' => $remove() ? 'folder_mode_removed' : 'folder_mode' ) );
				}
			}
			is_dir( $keep ) || @mkdir( $keep, 0700 );
			$lock = @fopen( "$keep/lock", 'c' );
			for ( $tries = 0; $lock && ! flock( $lock, LOCK_EX | LOCK_NB ); $tries++ ) {
				if ( 100 === $tries ) {
					$answer( array( 'error' => 'busy' ) ); // An installation is running, or the file system has no locks.
				}
				usleep( 100000 );
			}
			if ( strcmp( $part[2], $read()['last'] ) > 0 ) { // Otherwise the request was sent before.
				$is_saved = $save( array( 'last' => $part[2] ) + ( $made ? array( 'made' => true ) : array() ) );
				if ( 'remove' === $part[1] ) {
					$answer( array( 'ok' => $remove() ) );
				}
				if ( ! $is_saved ) {
					$answer( array( 'error' => 'not_writable' ) );
				}
				$acts = array( 'arm' => $arm, 'state' => '__return_true', 'restore' => $restore );
				$answer( array( 'ok' => $acts[ $part[1] ]( array( 'cause' => 'asked' ) ) ) );
			}
			$answer( array( 'error' => 'replayed' ) );
		}
	}

	// A caller that hangs up in the middle of an update must not leave the site in maintenance mode.
	if ( isset( $_POST['mainwpsignature'] ) ) {
		ignore_user_abort( true );
		$lock && in_array( $field( 'function' ), array( 'installplugintheme', 'upgradeplugintheme' ), true ) && flock( $lock, LOCK_SH | LOCK_NB );
	}

	register_shutdown_function( static function () use ( $self, $main, $live, $lock, $restore, $remove ) {
		$fatal = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR;
		$error = error_get_last();
		if ( ! $error || ! ( $error['type'] & $fatal ) ) {
			// A complete page of the site proves that it works. Until then, the copy is kept.
			if ( time() > @filemtime( $self ) + (int) '@SECONDS@' && did_action( 'wp_footer' ) && ( ! $lock || flock( $lock, LOCK_EX | LOCK_NB ) ) ) {
				$remove();
			}
			return;
		}
		clearstatcache();
		// A plugin that is being activated runs in a sandbox. Files that are being replaced cause errors for a moment.
		if ( defined( 'WP_SANDBOX_SCRAPING' ) || ! $lock || ! is_dir( $live ) || ( '' === $main && time() - filectime( $live ) < 2 ) ) {
			return;
		}
		$text   = str_replace( '\\', '/', $error['file'] . ' ' . $error['message'] ); // The message contains the trace.
		$is_own = false;
		foreach ( array( $live, (string) realpath( $live ) ) as $path ) {
			$is_own = $is_own || ( '' !== $path && false !== strpos( $text, str_replace( '\\', '/', $path ) . '/' ) );
		}
		if ( $is_own && flock( $lock, LOCK_EX | LOCK_NB ) ) {
			$message = substr( strtok( $error['message'], "\n" ), 0, 300 );
			$restore( array( 'cause' => 'fatal', 'file' => $error['file'], 'line' => $error['line'], 'message' => $message ) );
			flock( $lock, LOCK_UN );
		}
	} );
} )();
