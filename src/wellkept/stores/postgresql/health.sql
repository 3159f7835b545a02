-- name: look
-- As any write would be, but changes nothing: a standby, or a server set to read only, refuses it.
SELECT wellkept.lock_pool(%(tenant)s, ''), pg_is_in_recovery()

-- name: miscounted_pools
SELECT wellkept.miscounted_pools()

-- name: open_tables
-- Tables without the wall between tenants.
SELECT relname FROM pg_class
WHERE relnamespace = 'wellkept'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname NOT IN ('migrations', 'layout') AND NOT (relrowsecurity AND relforcerowsecurity)
ORDER BY relname

-- name: facts
SELECT current_setting('server_version'), (SELECT max(number) FROM wellkept.migrations),
    (SELECT partitions FROM wellkept.layout), current_setting('fsync')
