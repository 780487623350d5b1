// Package docs holds the handbook. Its tests check the examples on the pages.
package docs
